"""What people say to the server in plain words is done, asked about or explained, never sent on."""

import pytest

from pbm.play.limits import NEWCOMERS_ANSWERS
from tests.conversations.playing import board_mail, plays
from tests.table import Person, Table

ASKED = "Nothing has been done, and nobody else has read it."


@pytest.fixture
def people(table: Table) -> list[Person]:
    """alice and bob, who have made two moves each."""
    people = table.start("alice", "bob")
    plays(table, people, plies=4)
    return [person.forgets() for person in people]


@pytest.mark.parametrize(
    ("words", "asked", "command"),
    [
        ("I resign", "Do you want to resign board 1?", "resign 1"),
        ("Hi Bob,\n\nich gebe auf.\n\nGruß\nAlice", "resign board 1?", "resign 1"),
        ("quit", "Do you want to resign board 1?", "resign 1"),
        ("You win!", "Do you want to resign board 1?", "resign 1"),
        ("draw?", "Do you want to offer a draw on board 1?", "draw 1"),
        ("can we call it a draw", "offer a draw on board 1?", "draw 1"),
        (
            "undo please",
            "ask to take back your last move on board 1?",
            "takeback of move #3 on board 1",
        ),
        (
            "I made a mistake, can I take that back?",
            "to take back your last move",
            "takeback of move #3 on board 1",
        ),
        ("Please delete my account!", "leave this server for good?", "delete"),
    ],
)
def test_what_reaches_others_is_asked(
    words: str, asked: str, command: str, table: Table, people: list[Person]
) -> None:
    alice, bob = people
    alice.says(words, answering=board_mail(alice, 1)).gets(1)
    assert alice.newest["Subject"] == f"Please confirm: {command}"
    alice.hears(asked, ASKED, f"Please confirm: {command}", "Reply yes to do it")
    bob.hears_nothing()
    board = table.board(1)
    assert (board.playing, board.offers) == (True, ())
    alice.says("no").hears("Dropped.")
    bob.hears_nothing()


def test_a_yes_does_it(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("I give up, good game Bob!", answering=board_mail(alice, 1)).gets(1)
    alice.hears('You wrote "I give up".', "With these words: | I give up, good game Bob!")
    bob.hears_nothing()
    alice.says("yes")
    bob.gets(1).hears("Board 1 is over: you win.", "alice resigned.", "| I give up, good game Bob!")
    assert not table.board(1).playing


def test_a_draw_that_is_offered_is_agreed_to(table: Table, people: list[Person]) -> None:
    alice, bob = people
    bob.says("draw", answering=board_mail(bob, 1)).forgets()
    alice.says("Draw!", answering=board_mail(alice, 1)).hears(
        "Please confirm: accept draw 1", "Do you want to accept the draw on board 1?"
    )
    alice.says("yes")
    assert table.board(1).ended_by == "agreed"


@pytest.mark.parametrize("word", ["resign", "Resign", "draw", "undo"])
def test_the_command_itself_is_done_at_once(word: str, table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(word, answering=board_mail(alice, 1)).gets(1)
    bob.gets(1)
    assert table.board(1).offers or not table.board(1).playing


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("rules", "pbm: help abalone"),
        ("What are the rules, please?", "pbm: help abalone"),
        ("How do I play?", "A FIRST GAME"),
        ("Help me!", "WHAT YOU CAN WRITE"),
        ("help me please", "WHAT YOU CAN WRITE"),
        ("How do I resign this game?", "=> resign [board]"),
        ("Wie kann ich remis anbieten?", "=> draw [board]"),
        ("how do I move", "To move, write the place"),
        ("What commands are there?", "=> challenge"),
        ("who is to move?", "Your move on board 1."),
        ("status", "Your move on board 1."),
        ("Show me the board", "Your move on board 1."),
        ("what are the scores", "Scores: you 0, bob 0; to win, push six off."),
        ("which games am I in?", "Your games: 1 in progress"),
        ("I want to stop getting these mails", "You can have fewer mails, or none"),
        ("settings?", "timezone"),
    ],
)
def test_what_only_looks_is_done(words: str, told: str, people: list[Person]) -> None:
    alice, bob = people
    alice.says(words, answering=board_mail(alice, 1)).gets(1).hears(told)
    bob.hears_nothing()


def test_other_words_below_a_question_come_back(people: list[Person]) -> None:
    alice, bob = people
    alice.says("My plan has failed. How do I resign?", answering=board_mail(alice, 1)).gets(1)
    alice.hears("=> resign", "I did not pass on your words", "| My plan has failed.")
    bob.hears_nothing()


@pytest.mark.parametrize(
    "words", ["I won't quit now!", "undo your shoes", "my rules lawyer", "status quo", "I win!"]
)
def test_what_only_has_such_a_word_is_talk(words: str, people: list[Person]) -> None:
    alice, bob = people
    alice.says(words, answering=board_mail(alice, 1)).hears(f"| {words}")
    bob.gets(1).hears(f"| {words}")


@pytest.mark.parametrize(
    "words",
    [
        "{}\n\nTake your time!\ndraw?",
        "{}\ndraw?\nTake your time!",
        "Take your time!\n\n{}\n\nRemis?",
    ],
)
def test_a_wish_below_a_move_is_asked_about(words: str, table: Table, people: list[Person]) -> None:
    alice, bob = people
    move = board_mail(alice, 1).text.split("a line such as")[1].split()[0].rstrip(".")
    alice.says(words.format(move), answering=board_mail(alice, 1)).gets(2)
    alice.hears("bob's move on board 1", "Do you want to offer a draw on board 1?")
    bob.gets(1).hears("| Take your time!")
    assert not {"draw?", "Remis?"} & set(bob.newest.text.split())
    assert (len(table.moves(1)), table.board(1).offers) == (5, ())
    alice.says("yes")
    bob.gets(1).hears("alice offers a draw.")


@pytest.mark.parametrize("words", ["Draw your own conclusions", "You win!", "No draw today!"])
def test_other_words_below_a_move_are_talk(words: str, people: list[Person]) -> None:
    alice, bob = people
    move = board_mail(alice, 1).text.split("a line such as")[1].split()[0].rstrip(".")
    alice.says(f"{move}\n\n{words}", answering=board_mail(alice, 1)).gets(1)
    bob.gets(1).hears(f"| {words}")


def test_what_cannot_be_done_is_said_at_once(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("Rematch?", answering=board_mail(alice, 1)).gets(1)
    alice.hears("| Rematch", "Board 1 is still being played.", "Nothing has changed.")
    alice.says("resign", answering=board_mail(alice, 1)).forgets()
    bob.forgets()
    alice.says("I resign", answering=board_mail(alice, 1)).gets(1).hears("| I resign", "is over")
    bob.hears_nothing()
    alice.says("You win", answering=board_mail(alice, 1)).forgets()
    bob.gets(1).hears("| You win")  # once it is over, that is said to bob
    alice.says("Good game! Play again?", answering=board_mail(alice, 1)).gets(1)
    alice.hears("Do you want to play board 1 again?", "| Good game!")
    alice.says("yes")
    assert len(table.boards()) == 2  # a rehearsal may have used up a number


def test_the_board_that_is_named_counts(table: Table, people: list[Person]) -> None:
    alice, _ = people
    table.begins("alice", "bob")
    alice.says("I resign board 2", answering=board_mail(alice, 1)).hears(
        "Do you want to resign board 2?"
    )
    alice.says("yes")
    assert (table.board(1).playing, table.board(2).playing) == (True, False)


@pytest.mark.parametrize(
    "words",
    [
        *("I don't want to play", "I don't want to play this game after all, sorry", "no"),
        *("no thanks, I do not want another game", "No thanks", "Nein danke!"),
    ],
)
def test_before_the_first_move_one_declines(words: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says(words).gets(1).hears("leave board 1 before your first move?")
    alice.hears_nothing()
    bob.says("yes")
    assert table.board(1).status == "closed"


def test_a_no_alone_is_talk_later_on(people: list[Person]) -> None:
    alice, bob = people
    alice.says("no", answering=board_mail(alice, 1))
    bob.gets(1).hears("| no")


def test_to_the_plain_address(people: list[Person]) -> None:
    alice, bob = people
    alice.writes("", "whose turn is it").gets(1).hears("Marbles left:")
    alice.writes("How do I play?").gets(1).hears("A FIRST GAME")
    alice.writes("Question", "Hi, how do I resign?").gets(1).hears("=> resign [board]")
    alice.writes("I give up", "Thanks!").gets(1).hears(
        "Please confirm: resign 1", 'You wrote "I give up".'
    )
    alice.says("yes")
    bob.hears("Board 1 is over: you win.")
    alice.forgets().writes("", "I resign").gets(1).hears("Nothing has changed.")


def test_of_several_boards_none_is_given_up(table: Table, people: list[Person]) -> None:
    alice, bob = people
    table.begins("alice", "bob")
    alice.writes("", "I resign").gets(1).hears("| I resign", "Abalone Board 2: alice v bob")
    bob.hears_nothing()


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("rules", "Abalone"),
        ("Help!", "WHAT YOU CAN WRITE"),
        ("I need help, please", "WHAT YOU CAN WRITE"),
        ("How do I play?", "WHAT YOU CAN WRITE"),
        ("Wie geht das?", "WHAT YOU CAN WRITE"),
    ],
)
def test_a_stranger_gets_help_with_the_welcome(words: str, page: str, table: Table) -> None:
    dave = table.person("dave@example.net")
    dave.writes("", words).gets(1).hears("Reply yes to play as dave", "You asked for help.", page)
    dave.says("yes").hears("You play as dave now.")


def test_a_stranger_who_would_give_up_something_is_only_welcomed(table: Table) -> None:
    dave = table.person("dave@example.net")
    dave.writes("", "I resign").gets(1).hears("Reply yes to play as dave")
    assert "You asked for help" not in dave.newest.text


def test_without_a_proof(people: list[Person]) -> None:
    alice, bob = people
    thread = {"In-Reply-To": board_mail(alice, 1)["Message-ID"]}
    subject = "Re: Abalone Board 1: alice v bob"
    alice.writes(subject, "How do I resign?", headers=thread).gets(1).hears("=> resign [board]")
    alice.writes(subject, "I resign, well played", headers=thread).gets(1)
    alice.hears("Do you want to resign board 1?", "| I resign, well played")
    bob.hears_nothing()


def test_from_another_address(table: Table, people: list[Person]) -> None:
    alice, bob = people
    elsewhere = table.person("alice@work.example")
    elsewhere.says("I resign", answering=board_mail(alice, 1))
    alice.gets(1).hears("a reply from alice@work.example", "left out, whatever you answer: | ")
    alice.says("yes").hears("alice@work.example is one of your addresses now")
    bob.hears_nothing()


def test_passwords_beside_an_intention_go_to_nobody(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("change password correct-horse-battery").says("yes").forgets()
    for words in (
        "I resign, alice correct-horse-battery",
        "I resign\nalice correct-horse-battery",
        "Rules?\nMy password: correct-horse-battery",
        "Draw your own alice correct-horse-battery conclusions",
        "resign alice correct-horse-battery if you can",
        "resgin alice correct-horse-battery if you can",
    ):
        alice.says(words, answering=board_mail(alice, 1)).gets(1).forgets()
        assert "correct-horse" not in alice.newest.text
        bob.hears_nothing()
    assert table.board(1).playing
    assert "correct-horse" not in table.everything_stored()


def test_a_program_that_repeats_itself_comes_to_an_end(people: list[Person]) -> None:
    alice, bob = people
    for _ in range(NEWCOMERS_ANSWERS + 21):
        alice.says("I resign", answering=board_mail(alice, 1))
    assert "answers paused" in alice.newest["Subject"]
    alice.forgets().says("I resign", answering=board_mail(alice, 1)).hears_nothing()
    bob.hears_nothing()
