"""What robots are asked for: games, draws, take-backs, pauses, and what they say."""

import pytest

from pbm.robots import thinking
from pbm.robots.thinking import RobotStanding
from tests.conversations.playing import board_mail, plays, plays_silently
from tests.serving import think_next
from tests.table import Person, Table


@pytest.fixture
def alice(table: Table) -> Person:
    """Somebody who plays here with robots around."""
    table.robots_join()
    return table.joins("alice")


def thinks(table: Table, person: Person) -> Person:
    """Let robots answer, and check that this brings the one mail that there is."""
    table.robots_think()
    return person.gets(1)


# -- challenges --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("challenge me pebble", "A new game: alice and pebble, on the standard board."),
        ("challenge Pebble", "A new game: alice and pebble"),
        ("abalone challenge -bowl cobble pebble", "A new game: alice, cobble and pebble"),
        ("challenge -pillar boulder", "alice and boulder"),
        ("challenge -seats=me,pebble -unrated", "This game is not rated."),
        ("challenge -rounds=2 pebble", "A new match: alice and pebble"),
        ("challenge -teams alice+pebble cobble+boulder", "alice and pebble against cobble and"),
        ("challenge me and pebble vs cobble and boulder", "alice and pebble against cobble and"),
    ],
)
def test_they_take_every_challenge(table: Table, alice: Person, line: str, told: str) -> None:
    alice.says(line).gets(1).hears("Your move on board 1", told)
    plays(table, [alice])
    alice.forgets().hears_nothing()
    thinks(table, alice).hears("Your move on board 1", "played")


def test_they_sit_at_seat_one(table: Table, alice: Person) -> None:
    alice.says("challenge -seats=pebble,me -bowl").hears_nothing()
    thinks(table, alice).hears(
        "Your move on board 1", "A new game: pebble and alice", "pebble played"
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("challenge peble", 'Did you mean "pebble"?'),
        ("challenge pebble pebble", "two different players"),
        ("challenge -seats=pebble,cobble", "me"),
        ("block pebble\nchallenge pebble", "You have blocked pebble"),
    ],
)
def test_refusals(alice: Person, line: str, told: str) -> None:
    alice.says(line).hears(told)


@pytest.mark.parametrize("word", ["robot", "computer", "ai", "Bot"])
def test_a_word_for_any_robot_names_the_one_for_first_games(alice: Person, word: str) -> None:
    alice.says(f"challenge {word}").hears(
        f"There is no player called {word.lower()}.", 'first games is called "pebble"'
    )


@pytest.mark.parametrize(
    "words",
    [
        "I want to play against the computer",
        "play against computer",
        "Is there a bot?",
        "robot",
        "computer",
        "challenge a robot",
        "How do I play against a robot?",
        "Ich möchte gegen den Computer spielen",
    ],
)
def test_plain_words_for_robots_bring_their_page(alice: Person, words: str) -> None:
    alice.writes(words).hears("Robots are computer players", "=> challenge pebble")


@pytest.mark.parametrize(
    "words", ["play pebble", "play against pebble", "robot pebble", "gegen Pebble"]
)
def test_who_plays_one_by_name_is_asked(alice: Person, words: str) -> None:
    alice.writes(words).hears("Do you want to start a game with pebble?")
    alice.says("yes").hears("A new game: alice and pebble")


@pytest.mark.parametrize("words", ["Give me a hint!", "what should I play?", "Can I have a hint?"])
def test_plain_words_for_a_hint(table: Table, alice: Person, words: str) -> None:
    alice.says("challenge pebble -rated").says(words).hears("Board 1 is rated, and hints are for")
    bob = table.joins("bob")
    bob.says("challenge alice pebble").forgets()
    bob.says(words, answering=board_mail(bob, 2)).hears("Sent to alice")


def test_five_boards_at_once(table: Table, alice: Person) -> None:
    table.begins("alice", "pebble", times=4)
    alice.says("limit").hears("Games against robots: 4 (5 at most)")
    alice.says("challenge cobble").says("limit 6").hears("Games against robots: 5 (5 at most)")
    alice.says("challenge pebble").hears("You play on 5 boards against robots already")
    bob = table.joins("bob")
    bob.says("challenge alice pebble").hears("alice plays on 5 boards against robots")
    bob.says("challenge alice").hears("Your move on board 6")
    alice.says("resign 1").says("challenge pebble").hears("Your move on board 7")


def test_nobody_is_paired_with_one(table: Table, alice: Person) -> None:
    alice.says("play").hears("There is nobody", 'answer with "challenge pebble"')
    alice.says("seek").gets(1).hears("Your seek is open")
    assert not table.boards()


def test_a_rematch(table: Table, alice: Person) -> None:
    alice.says("challenge pebble").says("a1-c3,b2").forgets()
    thinks(table, alice)
    alice.says("resign").hears("Board 1 is over: you lost.")
    alice.says("rematch").gets(0)
    thinks(table, alice).hears("Your move on board 2", "A rematch of board 1: pebble and alice,")


def test_who_declines_leaves_no_board_to_robots_alone(table: Table, alice: Person) -> None:
    alice.says("challenge pebble cobble").forgets()
    alice.says("decline").gets(1).hears("declined")
    assert table.boards() == [1]


def test_who_leaves_robots_alone_has_agreed_to_nothing(alice: Person) -> None:
    alice.says("challenge pebble cobble").says("a1-b2,b2").forgets()
    alice.says("resign").hears("Board 1 is over: a draw.", "Those who were left agreed to a draw.")


def test_who_resigns_has_no_draw_by_that(table: Table, alice: Person) -> None:
    alice.says("challenge pebble and me vs cobble and boulder").forgets()
    alice.says("resign 1").forgets()
    assert table.board(1).playing  # the partner may still win or lose it


def test_robots_end_a_game_that_is_left_to_them(table: Table, alice: Person) -> None:
    """Whoever has left them hears of its end only, and an end there is."""
    alice.says("challenge pebble and me vs cobble and boulder").says("resign 1")
    table.days_pass(seconds=60)
    alice.forgets()
    assert think_next(table.robots)
    assert len(table.moves(1)) == 1
    table.days_pass(seconds=60)
    alice.hears_nothing()
    for _ in range(2):
        there = []
        for _ in range(4):
            there.append(lone_step(table))
            plays_silently(table, 1, there[-1:])
        plays_silently(table, 1, [",".join(reversed(step.split(","))) for step in there])
    table.robots_think()
    assert len(table.moves(1)) == 17
    alice.gets(1).hears("Board 1 is over: a draw.")


def lone_step(table: Table) -> str:
    """A legal move of one marble, the same in the same position."""
    moves = map(str, table.board(1).position.legal_moves())
    return next(move for move in moves if "-" not in move)


def test_a_strangers_first_mail_is_a_challenge(table: Table) -> None:
    table.robots_join()
    marta = table.person("marta@example.org")
    marta.writes("challenge -bowl pebble").gets(1).hears(
        "You asked for a game against pebble: with your yes it begins."
    )
    marta.says("call me marta2").gets(1).hears("with your yes it begins")
    marta.says("yes").gets(2).hears("You play as marta2 now.", "Your move on board 1")
    assert "To begin a game" not in marta.mail("pbm: welcome").text
    assert table.board(1).options["layout"] == "bowl"
    other = table.person("other@example.org")
    for said in ("challenge pebble marta2", "challenge pebble\n\nchallenge cobble"):
        other.forgets().writes("", said).hears(
            'You asked for "challenge". Only players can do that'
        )
    other.says("yes").gets(1)
    assert table.boards() == [1]


# -- offers ------------------------------------------------------------------------------------


@pytest.mark.on_postgresql
@pytest.mark.parametrize("moves_first", [True, False])
def test_a_draw_when_the_robot_is_worse_off(
    table: Table, alice: Person, monkeypatch: pytest.MonkeyPatch, *, moves_first: bool
) -> None:
    monkeypatch.setattr(thinking, "EVEN", -10_000)  # whatever it finds is worse
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2\ndraw" if moves_first else "draw").hears_nothing()
    thinks(table, alice).hears("Board 1 is over: a draw.", " agreed to the draw that you offered.")
    assert len(table.moves(1)) == moves_first


@pytest.mark.parametrize("moves_first", [True, False])
def test_no_draw_at_the_beginning(table: Table, alice: Person, *, moves_first: bool) -> None:
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2\ndraw" if moves_first else "draw").hears_nothing()
    told = thinks(table, alice).arrived[0].text
    assert "pebble said no to the draw that you offered. The game goes on." in " ".join(
        told.split()
    )
    assert "moved on" not in told
    assert ("pebble played" in told) is moves_first
    alice.says("draw", answering=board_mail(alice, 1)).forgets()


@pytest.mark.parametrize(
    ("line", "said"), [("draw", "You offered"), ("takeback", "You asked"), ("pause", "pause")]
)
def test_moves_are_not_told_again_with_what_is_said_about_them(
    table: Table, alice: Person, line: str, said: str
) -> None:
    alice.says("challenge pebble -unrated").says("a1-c3,b2")
    table.robots_think()
    alice.says("a2-c4,b3")
    table.robots_think()
    alice.says(line)
    table.robots_think()
    told = alice.mails[-1].text.partition("\n\n")[2]
    assert said in told or "that you offered" in told
    assert "You played" not in told
    assert "pebble played" not in told


def test_an_offer_of_two_people_and_a_robot(table: Table, alice: Person) -> None:
    bob = table.joins("bob")
    alice.says("challenge bob pebble -unrated").forgets()
    plays(table, [alice])
    bob.forgets()
    alice.forgets().says("takeback", answering=board_mail(alice, 1))
    alice.gets(1).hears("pebble agreed")
    bob.gets(1).hears("alice asked to take back", "accept takeback")
    bob.says("accept takeback").gets(1).hears("All agreed: alice's move 1 (#1)")
    assert table.moves(1) == []


@pytest.mark.parametrize(
    ("options", "told", "plies"),
    [
        ("-unrated", "pebble agreed: your move 1 (#1), a1-c3,b2, is taken back", 0),
        ("-rated", "pebble said no to the take-back", 2),
        ("", "pebble agreed: your move", 0),
    ],
)
def test_take_backs(table: Table, alice: Person, options: str, told: str, plies: int) -> None:
    alice.says(f"challenge pebble {options}").says("a1-c3,b2").forgets()
    thinks(table, alice).forgets()
    alice.says("takeback").gets(1).hears("Your move on board 1", told)
    assert len(table.moves(1)) == plies


def test_a_take_back_before_its_answer(table: Table, alice: Person) -> None:
    alice.says("challenge pebble -unrated").says("a1-c3,b2").forgets()
    alice.says("takeback", answering=board_mail(alice, 1)).gets(1).hears("Your move on board 1")
    table.robots_think()
    alice.hears_nothing()
    assert table.moves(1) == []


def test_pauses_and_gifts(table: Table, alice: Person) -> None:
    alice.says("challenge pebble").says("a1-c3,b2").forgets()
    thinks(table, alice).forgets()
    alice.says("pause").gets(1).hears("Your move on board 1, paused.", " agreed to the pause")
    alice.says("resume").gets(1).hears(" agreed to end the pause")
    alice.says("give 3d").gets(1).hears("board 1")


def test_claims_work_against_it(table: Table, alice: Person) -> None:
    alice.says("challenge pebble").forgets()
    plays_silently(table, 1, ["c3,d3", "g7,f7", "d3,c3", "f7,g7"] * 2)
    alice.says("claim").gets(1).hears("Board 1 is over: a draw.")


# -- first games --------------------------------------------------------------------------------


def test_first_games_with_the_weakest_are_lessons(table: Table, alice: Person) -> None:
    told = "Until you have finished five games, those against pebble are not rated."
    alice.says("challenge pebble").hears(
        "This game is not rated.", 'answer "hint"', told, 'answer "challenge pebble -rated".'
    )
    others = ("pebble -rated", "flint", "pebble cobble", "pebble -unrated")
    for line in others:
        alice.forgets().says(f"challenge {line}", answering=alice.mail("pbm: welcome"))
        assert told not in " ".join(alice.gets(1).newest.text.split())
    assert [table.board(number).rated for number in table.boards()] == [False, *3 * [True], False]
    alice.says("challenge -rated -unrated pebble").hears("Leave out one of them.")
    for number in table.boards():
        alice.says(f"resign {number}")
    alice.says("rematch 1").says("challenge pebble").hears("A new game: alice and pebble")
    assert [table.board(number).rated for number in (6, 7)] == [False, True]


# -- what a draw is worth ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("standing", "takes"),
    [
        (RobotStanding(0, 0), False),
        (RobotStanding(-49, 29), False),
        (RobotStanding(-50, 0), True),
        (RobotStanding(49, 30), True),
        (RobotStanding(50, 59), False),
        (RobotStanding(500, 60), True),
        (RobotStanding(100_000, 100), False),
    ],
)
def test_when_a_draw_is_good_enough(standing: RobotStanding, *, takes: bool) -> None:
    assert standing.takes_draw is takes


# -- ratings -----------------------------------------------------------------------------------


def test_ratings(table: Table, alice: Person) -> None:
    alice.says("challenge pebble -rated").says("a1-c3,b2").forgets()
    thinks(table, alice)
    alice.says("resign").hears("Board 1 is over: you lost.", "This game changes no rating")
    alice.says("standings").hears("Nobody stands in the standings of Abalone yet")
    alice.says("info pebble").hears("pebble is a robot", "help pebble", "measured")
    alice.says("challenge pebble -unrated").says("a1-c3,b2").forgets()
    thinks(table, alice)
    alice.says("resign").forgets()
    alice.says("info me").hears("The newest 2 games finished", "There is no rating yet")
