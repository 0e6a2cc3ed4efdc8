"""Finding somebody to play with, without knowing anybody."""

import json
from collections.abc import Callable

import pytest

from pbm.play import seeks
from pbm.play.limits import JOINS, MOST_SEEKS
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.players import remove, suspend
from tests.table import Person, Table


def joined(table: Table, *handles: str) -> list[Person]:
    return [table.joins(handle) for handle in handles]


def players_of(table: Table, number: int) -> list[str]:
    return [seat.handle for seat in table.board(number).seats]


@pytest.mark.on_postgresql
def test_two_who_want_to_play_are_paired(table: Table) -> None:
    alice, bob = joined(table, "alice", "bob")
    table.lots = lambda names: names[::-1]
    for _ in range(2):
        alice.says("play").gets(1).hears("You will be paired with the next who wants one")
    alice.says("whoami").hears(
        "You are waiting for a game here:", "Number 1: alice (1500?), Abalone for 2"
    )
    alice.says("games").hears("Number 1: alice")
    bob.says("play").gets(1).hears(
        "alice's move on board 1" if players_of(table, 1)[0] == "alice" else "Your move on board 1",
        "You both wanted to be paired, and lots were drawn for the seats.",
    )
    alice.gets(1).hears("bob's move on board 1; nothing to do.", "A new game: bob and alice")
    alice.says("games", subject="games").hears("Board 1: bob, alice.")
    assert "You wait" not in alice.newest.text
    assert table.board(1).rated
    assert len(table.rows("seeks")) == 1


def test_a_seek_of_others_and_one_of_ones_own(table: Table) -> None:
    alice, bob, carol, dave = joined(table, "alice", "bob", "carol", "dave")
    alice.says("seek 3 -bowl -unrated --forfeittime=10d -expires=10d").gets(1).hears(
        "Your seek is open:",
        "Number 1: alice (1500?), Abalone for 3, -bowl -forfeittime=10d -unrated,"
        " until 2026-12-01.",
    )
    bob.writes("seeks").gets(1).hears(
        "You can join this game:", 'such as "join 1"', 'A "?" marks a rating based on few games,'
    )
    bob.writes("offers").hears("Number 1: alice")
    bob.says("join 1").gets(1).hears("alice and bob are waiting; one more player is needed.")
    alice.gets(1).hears("bob has joined your seek 1. 2 of 3 players are there now")
    bob.says("join #1").hears("You have a seat in seek 1 already.")
    alice.says("join 1").hears("Seek 1 is your own: it waits for others.")
    carol.says("join seek 1\n\nHello, both of you!").gets(1)
    for person in (alice, bob, carol):
        person.hears("Seek 1 is complete, and lots were drawn for the seats.", "not rated")
    assert "| Hello, both of you!" in bob.newest.text
    board = table.board(1)
    assert (board.options["layout"], board.rated) == ("bowl", False)
    assert board.clock
    assert board.clock["each"] == 10 * 86400
    dave.says("join 1").hears("Seek 1 is full: it has become board 1.")
    dave.says("join 7").hears("There has been no seek 7.")
    dave.says("seeks").hears("Nobody seeks a game just now.", 'answer with "play"')


def test_what_cannot_be_sought(table: Table) -> None:
    (alice,) = joined(table, "alice")
    for line, told in {
        "seek 9": "The standard board is for 2 to 6 players. You named 9 players.",
        "seek bob": 'I could not read "bob" at the end of your line.',
        "seek -random": "This command has no option -random.",
        "seek -rating=strong": '"strong" is not a range of ratings. Write such as 1200-1600',
        "seek -rating=1600-1200": "is not a range of ratings",
        "seek -rating=-": "is not a range of ratings",
        "seek -expires=3h": '"3h" cannot be chosen here; it may be 1 day to 8 weeks.',
        "seek -bowl -layout=standard": "not from both",
        "join": "Something is missing: the number.",
        "seek for three": '"for three" at the end of your line. "help seek" says how to write it.',
        "join bob": '"bob" is not a number of an open game; "seeks" lists them.',
        "unseek": "You are not waiting for a game.",
        "unseek 4": "There has been no seek 4.",
    }.items():
        alice.says(line).gets(1).hears(told)
    assert not table.rows("seeks")
    for _ in range(MOST_SEEKS):
        alice.says("seek 3")
    alice.forgets().says("seek").hears("You have 5 seeks that are open", "1, 2, 3, 4, 5")
    alice.says("seek -teams").hears("You have 5 seeks")
    alice.says("unseek").hears("You are waiting in seeks 1, 2, 3, 4, 5. Name one of them")
    alice.says("unseek 3").hears("You have withdrawn seek 3.")
    alice.says("seek -teams").hears("Abalone for 4, -teams")
    alice.says("unseek all").gets(1).hears(
        "You have withdrawn seek 1.", "You have withdrawn seek 6."
    )
    alice.says("unseek all").hears("You are not waiting for a game.")


def test_a_seek_is_taken_back_and_a_seat_given_back(table: Table) -> None:
    alice, bob, carol = joined(table, "alice", "bob", "carol")
    alice.says("seek 4").forgets()
    bob.says("join 1")
    carol.says("unseek 1").hears("You have no seat in seek 1", 'send "join 1"')
    carol.says("join 1")
    for person in (alice, bob, carol):
        person.forgets()
    bob.says("unseek").gets(1).hears("You have left alice's seek 1.")
    alice.gets(1).hears("bob has left your seek 1. 2 of 4 players")
    alice.says("unseek").gets(1).hears("You have withdrawn seek 1.")
    carol.gets(1).hears("alice has withdrawn seek 1, in which you had a seat.")
    bob.hears_nothing()
    bob.says("join 1").hears("Seek 1 is not open any more.")
    carol.says("play").forgets().says("unseek").hears("You are no longer waiting for a game.")


def test_what_nobody_joins_lapses(table: Table) -> None:
    alice, bob, carol = joined(table, "alice", "bob", "carol")
    alice.says("seek 3 -expires=2d")
    bob.says("join 1")
    carol.says("play")
    for person in (alice, bob, carol):
        person.forgets()
    table.is_down(1)
    table.days_pass(1.9)
    alice.hears_nothing()
    table.days_pass(0.2)
    alice.gets(1).hears("Your seek 1 has lapsed, since not enough players came.")
    bob.gets(1).hears("alice's seek 1 has lapsed", 'answer with "seeks"')
    table.days_pass(12)
    carol.gets(1).hears("Nobody has come for a game", 'answer with "play"')
    carol.says("seeks").hears("Nobody seeks a game just now.")


def test_ratings_open_and_close_a_seek(table: Table) -> None:
    alice, bob = joined(table, "alice", "bob")
    alice.says("seek -rating=1600-").forgets()
    bob.says("seeks").hears("These games are open, but for other ratings than yours:", "from 1600")
    bob.says("join 1").hears("Seek 1 is for ratings from 1600 on, and yours is 1500.")
    alice.says("seek -rating=-1400")
    bob.says("join 2").hears("Seek 2 is for ratings up to 1400, and yours is 1500.")
    bob.says("play").hears("There is nobody to pair you with")
    alice.says("seek -rating=1400-1600").hears("You both wanted to be paired")


def test_whoever_cannot_play_is_not_waited_for(table: Table) -> None:
    alice, bob, carol, dave, erin = joined(table, "alice", "bob", "carol", "dave", "erin")
    alice.says("seek 3")
    bob.says("seek 3")
    carol.says("join 2")
    carol.says("delete").says("yes")
    bob.hears("carol has left your seek 2.")
    bob.says("play")
    erin.says("join 2")
    with table.database.transaction() as work:
        for handle, status in (("alice", "suspended"), ("erin", "suspended")):
            player = work.players.by_handle(handle)
            assert player is not None
            work.players.change(player.id, status=status)
    dave.says("join 1").hears("Seek 1 is not open any more.")
    dave.says("join 2").hears("bob and dave are waiting; one more player is needed.")
    with table.database.transaction() as work:
        player = work.players.by_handle("bob")
        assert player is not None
        work.players.change(
            player.id, bounces=1, bounced_at=table.clock(), unreachable_since=table.clock()
        )
    dave.says("play").hears("There is nobody to pair you with")


@pytest.mark.parametrize("put_out", [suspend, remove])
def test_who_waits_hears_of_those_whom_the_operator_puts_out(
    put_out: Callable[[OperatorSession, str, str], object], table: Table
) -> None:
    alice, bob = joined(table, "alice", "bob")
    alice.says("seek 3").says("play")
    bob.says("seek 4").says("join 1")
    alice.says("join 3").forgets()
    bob.forgets()
    put_out(OperatorSession(table.database, table.site, table.clock, "root"), "alice", "quarrels")
    table.posts()
    bob.gets(2).hears(
        "alice cannot play here any more, so nothing comes of seek 1, in which you had a seat.",
        "alice has left your seek 3. 1 of 4 players",
    )
    bob.says("seeks").hears("Number 3: bob")
    assert [row["status"] for row in table.rows("seeks")] == ["withdrawn", "withdrawn", "open"]


def test_nobody_meets_another_address_of_their_own(table: Table) -> None:
    (alice,) = joined(table, "alice")
    other = table.person("alice+two@example.org")
    other.writes("signup alina").says("yes").forgets()
    alice.says("play").forgets()
    other.says("play").hears("There is nobody to pair you with")
    other.says("seeks").hears("You get the board when somebody comes.")
    other.says("join 1").hears("One of the players in seek 1 cannot be put on a board with you.")
    assert not table.boards()


def test_the_next_opponent_is_rather_another_one(table: Table) -> None:
    alice, bob, carol = joined(table, "alice", "bob", "carol")
    for person in (alice, bob, alice, carol):
        person.says("play")
    assert players_of(table, 2) == ["alice", "carol"]
    alice.says("seek")
    bob.says("seek")
    carol.says("play")
    assert players_of(table, 3) == ["bob", "carol"]
    carol.says("play")  # there is nobody else
    assert players_of(table, 4) == ["alice", "carol"]


def test_many_seeks_for_others_stand_in_nobodys_way(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeks, "_LOOKED_AT", 2)
    alice, bob, carol, dave = joined(table, "alice", "bob", "carol", "dave")
    for _ in range(2):
        alice.says("seek -rating=3000-")
        dave.says("seek -bowl")
    with table.database.transaction() as work:
        work.players.change(4, bounces=1, bounced_at=table.clock(), unreachable_since=table.clock())
    bob.says("play")
    carol.says("play").hears("on board 1")
    carol.says("seek -pillar")
    alice.says("unseek 1").says("unseek 3")
    bob.says("seeks").hears("Number 6: carol")


def test_whoever_leaves_boards_unanswered_is_passed_over(table: Table) -> None:
    alice, bob = joined(table, "alice", "bob")
    for _ in range(3):
        alice.says("play")
        bob.says("play")
    assert len(table.boards()) == 3
    alice.says("play")
    bob.forgets().says("play").hears("There is nobody to pair you with")
    bob.says("join 4").hears("alice has not answered 3 games that you began")


def test_twenty_joins_a_day(table: Table) -> None:
    alice, bob = joined(table, "alice", "bob")
    alice.says("seek 3")
    for _ in range(JOINS.most):
        bob.says("join 1\nunseek 1")
    bob.says("join 1")
    assert "You have joined 20 games within a day" in bob.newest.text


def test_what_is_kept_of_seeks_is_told(table: Table) -> None:
    (alice,) = joined(table, "alice")
    alice.says("seek -bowl").says("export me")
    attached = json.dumps(alice.newest.text)
    assert '\\"wishes\\": [\\n' in attached
    assert "-bowl" in attached


def test_what_nobody_has_proven_is_asked_about(table: Table) -> None:
    alice, bob = joined(table, "alice", "bob")
    alice.writes("play").hears('Did you send "play"?').says("yes").hears("You will be paired")
    (seek,) = table.rows("seeks")  # a number may be used up by what was only tried
    join = f"join {seek['id']}"
    bob.writes(join).hears(f'Did you send "{join}"?').says("yes").hears("alice's move on board")


@pytest.mark.on_postgresql
def test_two_strangers_have_a_board_after_three_mails_each(table: Table) -> None:
    anna, otto = table.person("anna@one.example"), table.person("otto@two.example")
    for person, words in ((anna, "hi there"), (otto, "what is this?")):
        person.writes(words).says("yes").hears('Reply "play" to be paired with the next player')
        person.forgets().says("play")
    assert sorted(players_of(table, 1)) == ["anna", "otto"]
    anna.hears("on board 1")
    otto.hears("on board 1")


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("play", ""),
        ("", "play"),
        ("signup anna", "play"),
        ("play", "play"),
        ("play", "Hello,\nI would like to play."),
        ("", "play\n\nBest regards,\nAnna"),
        ("Hello", "I am looking for an opponent."),
        ("", "Hi,\n\nI want to play with somebody.\n\nAnna"),
    ],
)
def test_who_asks_for_it_first_of_all_is_paired_with_the_yes(
    subject: str, body: str, table: Table
) -> None:
    (bob,) = joined(table, "bob")
    bob.says("seek -unrated").says("play").forgets()
    anna = table.person("anna@one.example").writes(subject, body).gets(1)
    anna.hears("with your yes you are paired with the next player who wants one")
    anna.says("yes").gets(2).hears("You play as anna now", "Number 1: bob", "on board 1")
    bob.gets(1).hears("You both wanted to be paired")


def test_who_asks_for_more_than_that_is_told_so(table: Table) -> None:
    table.person("anna@one.example").writes("play", "games").hears('You asked for "play"')


@pytest.mark.parametrize(
    ("subject", "body", "told"),
    [
        ("join 1", "", "bob's move on board 1"),
        ("signup anna", "join 1", "bob's move on board 1"),
        ("", "seek 3 -unrated", "Number 2: anna"),
        ("join 7", "", "There has been no seek 7."),
    ],
)
def test_a_seat_that_is_asked_for_first_of_all_is_taken_with_the_yes(
    subject: str, body: str, told: str, table: Table
) -> None:
    (bob,) = joined(table, "bob")
    bob.says("seek").forgets()
    anna = table.person("anna@one.example").writes(subject, body).gets(1)
    anna.hears(f'You asked for "{body or subject}". With your yes that is done.')
    assert not table.boards()
    anna.says("yes").hears("You play as anna now", told)


def test_whoever_takes_another_name_is_paired_too(table: Table) -> None:
    anna = table.person("anna@one.example").writes("play")
    anna.says("annabel").hears("Play as annabel?", "with your yes you are paired")
    anna.says("yes").hears("You play as annabel now.", "There is nobody to pair you with")
    other = table.person("otto@two.example").writes("play")
    other.says("yes\n\ngames").hears("There are no games to list")  # what is asked for now counts
    assert not table.boards()


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("I want to play with somebody", "Do you want to be paired with the next player"),
        ("Anyone want a game?", "Do you want to be paired with the next player"),
        ("I want to play with Bob.", "Do you want to start a game with bob?"),
    ],
)
def test_plain_words_are_asked_about(words: str, asked: str, table: Table) -> None:
    alice, bob = joined(table, "alice", "bob")
    bob.says("play").forgets()
    alice.says(words, subject="Hello").gets(1).hears(asked)
    alice.says("yes")
    alice.hears(f"on board {table.boards()[0]}")  # a number may be used up by what was only tried
    bob.gets(1)


@pytest.mark.parametrize("words", ["Let's play!", "Anyone for a game?", "I want to play with bob"])
def test_in_answer_to_a_board_they_are_for_the_others(words: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(words)
    bob.hears(f"| {words}")


@pytest.mark.parametrize("line", ["seek 3", "play", "join 1", "unseek 2"])
def test_words_without_a_board_come_back(line: str, table: Table) -> None:
    alice, bob = joined(table, "alice", "bob")
    alice.says("seek 3").forgets()
    bob.says("seek 3").says(f"{line}\n\nI am new here.").hears(
        "I did not pass on your words", "| I am new here."
    )
    assert "new here" not in "".join(mail.text for mail in alice.mails)


def test_play_before_a_move_is_no_wish_to_be_paired(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("play a1-c3,d4")
    assert table.moves(1) == ["a1-c3,b2"]
    assert not table.rows("seeks")


def test_one_mail_tells_others_of_seeks_twenty_times(table: Table) -> None:
    alice, bob = joined(table, "alice", "bob")
    alice.says("seek 3").forgets()
    bob.says("multiple", subject="multiple")
    bob.forgets().says("\n".join(["join 1", "unseek 1"] * 10), subject="multiple")
    alice.gets(20).forgets()
    bob.says("play\n" * 20)
    alice.says("seek 3")
    bob.says("\n".join(["unseek", "join 1", "join 2", *["unseek 2", "join 2"] * 8, "unseek 2"]))
    assert len(alice.arrived) <= 21
