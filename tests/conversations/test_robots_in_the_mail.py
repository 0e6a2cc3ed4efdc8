"""A robot's answer is in the same mail as what it answers, where it comes within some seconds."""

from dataclasses import replace

import pytest

from pbm.rules.contract import Suggests, has
from pbm.store.db import UnitOfWork
from tests.conversations.playing import board_mail, plays
from tests.serving import think_next
from tests.table import Person, Table

WAITS = 5.0  # seconds, at this table


@pytest.fixture
def alice(table: Table) -> Person:
    """Somebody who plays here with robots around."""
    table.robots_join()
    return table.joins("alice")


@pytest.mark.on_postgresql
def test_a_newcomers_fourth_mail_has_the_answer(table: Table) -> None:
    table.robots_join()
    marta = table.person("marta@example.org")
    marta.writes("hello").gets(1).forgets()
    marta.says("yes").gets(1).hears('Reply "challenge pebble" for a game at once')
    marta.says("challenge pebble").gets(1).hears("Your move on board 1, by", "marta begins.")
    marta.says("a1-c3,b2\n\nHello!").hears_nothing()
    table.robots_think()
    (played,) = table.moves(1)[1:]
    marta.gets(1).hears(
        "pebble moved: your turn on board 1, by",
        f"- You played a1-c3,b2. - pebble played {played}.",
        "| Hello!",
    )
    first, both = (mail for mail in marta.mails if mail["X-PBM-Board"] == "1")
    assert both.references == [first["Message-ID"], both["In-Reply-To"]]
    assert both["Auto-Submitted"] == "auto-replied"
    assert (both["X-PBM-Ply"], both["X-PBM-Turn"]) == ("2", "marta")
    marta.says(f"takeback\n\n{played}?").forgets()
    assert len(table.rows("outbox")) == len(marta.mails)  # what was taken back is gone


def test_it_waits_that_long_and_no_longer(table: Table, alice: Person) -> None:
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2")
    table.days_pass(seconds=WAITS - 0.1)
    alice.hears_nothing()
    table.days_pass(seconds=0.1)
    alice.gets(1).hears("pebble's move on board 1; nothing to do.", "You played a1-c3,b2.")
    table.robots_think()
    alice.gets(1).hears("Your move on board 1.", f"pebble played {table.moves(1)[1]}.")
    assert "alice played" not in alice.newest.text
    assert alice.newest["Auto-Submitted"] == "auto-generated"


def test_just_before_its_end_nothing_is_taken_back(table: Table, alice: Person) -> None:
    """The post may read it at any moment; what is written then comes behind it."""
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2")
    table.days_pass(seconds=WAITS - 0.2)
    table.robots_think()
    alice.hears_nothing()
    table.days_pass(seconds=0.2)
    receipt, answer = alice.gets(2).arrived
    assert (receipt["X-PBM-Ply"], answer["X-PBM-Ply"]) == ("1", "2")


def test_a_server_that_died_meanwhile_sends_one_or_both(table: Table, alice: Person) -> None:
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2")
    with table.database.engine.connect() as connection:
        work = UnitOfWork(connection)
        (task,) = table.robots.claim(work, 1)
        assert task.computation is not None
        table.robots.finish(work, task, task.computation())
        assert [mail.params["ply"] for mail in work.outbox.waiting()] == [2]
        connection.rollback()  # as it died before the commit
    assert table.moves(1) == ["a1-c3,b2"]
    table.robots.begin()
    table.days_pass(seconds=WAITS)
    alice.gets(1).hears("pebble's move on board 1; nothing to do.")
    table.robots_think()
    alice.gets(1).hears("Your move on board 1.")


def test_several_robots_in_a_row(table: Table, alice: Person) -> None:
    alice.says("challenge -seats=pebble,me,cobble").hears_nothing()
    table.robots_think()  # seat 1 moves first, and the answer to the challenge holds its move
    alice.gets(1).hears(
        "Your move on board 1",
        "A new game: pebble, alice and cobble",
        f"pebble played {table.moves(1)[0]}.",
        "Before your first move you can still leave",
        "Three things to try",
    )
    first = alice.newest
    assert first["In-Reply-To"] == ""
    (thread,) = first.references
    alice.says(an_example(table)).hears_nothing()
    table.robots_think()
    second, third, fourth = table.moves(1)[1:]
    alice.gets(1).hears(
        f"- You played {second}. - cobble played {third}. - pebble played {fourth}."
    )
    assert alice.newest.references[0] == thread


def test_the_second_robot_has_no_time_of_its_own(table: Table, alice: Person) -> None:
    alice.says("challenge pebble cobble").forgets()
    alice.says(an_example(table))
    table.clock.passes(seconds=3)
    assert think_next(table.robots)
    table.days_pass(seconds=WAITS - 3.1)
    alice.hears_nothing()
    table.days_pass(seconds=0.1)
    first, second = table.moves(1)
    alice.gets(1).hears(
        "cobble's move on board 1; nothing to do.",
        f"- You played {first}. - pebble played {second}.",
    )
    table.robots_think()
    alice.gets(1).hears("Your move on board 1.", f"cobble played {table.moves(1)[2]}.")


@pytest.mark.on_postgresql
def test_others_on_the_board_get_one_mail_too(table: Table, alice: Person) -> None:
    bob, carol = table.joins("bob"), table.joins("carol")
    bob.says("set mails turn").forgets()
    carol.says("set digest daily").forgets()
    alice.says("challenge -seats=me,pebble,bob,carol")
    for person in (alice, bob):
        person.forgets()
    alice.says(an_example(table) + "\n\nHello all").hears_nothing()
    bob.says("Hello alice", answering=board_mail(bob, 1)).hears_nothing()
    table.robots_think()
    moved = "played {}. - pebble played {}.".format(*table.moves(1))
    said = ("You wrote: | Hello all", "bob writes: | Hello alice")
    alice.gets(1).hears("bob's move on board 1; nothing to do.", f"- You {moved}", *said)
    said = ("alice writes: | Hello all", "You wrote: | Hello alice", "Sent to alice and carol.")
    bob.gets(1).hears("Your move on board 1", f"- alice {moved}", *said)
    assert not [mail for mail in carol.mails if mail["X-PBM-Board"]]
    table.days_pass(1)
    carol.hears("pebble played", "alice writes: | Hello all", "bob writes: | Hello alice")


def test_words_in_between_wait_too_but_no_longer(table: Table, alice: Person) -> None:
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2")
    table.days_pass(seconds=3)
    alice.says("Well?", answering=board_mail(alice, 1)).hears_nothing()
    table.days_pass(seconds=2)
    alice.gets(2).hears("You played a1-c3,b2.", "Nobody reads words on this board")
    table.robots_think()
    alice.gets(1)


def test_what_the_reader_asks_for_does_not_overtake_it(table: Table, alice: Person) -> None:
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2")
    alice.says("show", answering=board_mail(alice, 1)).hears_nothing()
    table.days_pass(seconds=WAITS)
    receipt, shown = alice.gets(2).arrived
    assert "nothing to do" in receipt.text
    assert "Board 1" in shown["Subject"]


def test_the_end_of_a_game_is_in_it(table: Table, alice: Person) -> None:
    """It takes the place of what waits, and waits for nobody."""
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2").says("resign", answering=board_mail(alice, 1))
    alice.gets(1).hears("Board 1 is over: you lost.", "You played a1-c3,b2.", "resigned")
    table.robots_think()
    assert table.moves(1) == ["a1-c3,b2"]


def test_a_digest_tells_what_came_late(table: Table, alice: Person) -> None:
    """What the reader's own mail brings about waits for the robot, and for nothing else."""
    alice.says("challenge pebble").says("set digest daily", answering=alice.mails[1]).forgets()
    alice.says("a1-c3,b2", answering=board_mail(alice, 1)).hears_nothing()
    table.robots_think()
    alice.gets(1).hears("Your move on board 1", "pebble played")
    alice.says(an_example(table))
    table.days_pass(seconds=WAITS)
    alice.gets(1).hears("pebble's move on board 1; nothing to do.")
    table.robots_think()
    alice.hears_nothing()
    table.days_pass(1)
    alice.gets(1).hears("Your move on board 1", "pebble played")


def test_a_digest_waits_as_well(table: Table, alice: Person) -> None:
    bob = table.joins("bob")
    alice.says("set digest 18:00").says("challenge bob pebble", answering=alice.mails[1])
    plays(table, [alice])
    plays(table, [bob])
    table.days_pass(seconds=WAITS)
    bob.says("Hello alice", answering=board_mail(bob, 1)).forgets()
    alice.forgets()
    table.days_pass(hours=6, seconds=-WAITS)
    alice.hears_nothing()
    table.robots_think()
    alice.gets(1).hears("Your move on board 1", "bob played", "pebble played", "| Hello alice")


def test_without_seconds_nothing_waits(table: Table) -> None:
    for role in (table, table.turns, table.robots):
        role.site = replace(table.site, robot_seconds=0)
    table.robots_join()
    alice = table.joins("alice")
    alice.says("challenge pebble").forgets()
    alice.says("a1-c3,b2").gets(1).hears("pebble's move on board 1; nothing to do.")


def an_example(table: Table) -> str:
    """A move that is legal on board 1."""
    position = table.board(1).position
    assert has(table.board(1).rules, Suggests)
    return table.board(1).rules.example_moves(position)[0]
