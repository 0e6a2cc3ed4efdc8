"""A board whose game is not installed any more waits, and holds up nobody's mails."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from pbm.store.db import UnitOfWork
from pbm.store.schema.games import boards
from tests.conversations.test_clocks import begun
from tests.table import Person, Table

WAITS = "The game on board 1 is not installed on this server at present."


def hold(work: UnitOfWork, game: str) -> None:
    work.execute(boards.update().where(boards.c.id == 1).values(game=game))


@pytest.fixture
def people(table: Table) -> Iterator[list[Person]]:
    """Alice and bob on a board whose game is gone, alice and carol on another."""
    alice, bob = table.start("alice", "bob")
    carol = table.joins("carol")
    alice.says("challenge carol")
    with table.database.transaction() as work:
        hold(work, "chess")
    yield [person.forgets() for person in (alice, bob, carol)]
    with table.database.transaction() as work:
        hold(work, "abalone")


@pytest.mark.parametrize(
    "line",
    [
        *("show 1", "move 1 a1-c3,d4", "preview 1 a1-c3,d4", "export 1", "draw 1", "decline 1"),
        *("resign 1", "rematch 1", "claim 1"),
    ],
)
def test_nothing_is_done_there(line: str, people: list[Person]) -> None:
    people[0].says(line).gets(1).hears(WAITS)


def test_lists_leave_it_out(people: list[Person]) -> None:
    alice, bob, carol = people
    alice.says("games all").gets(1).hears("Board 2: alice, carol.")
    carol.says("show alice").gets(1).hears("Abalone Board 2: alice v carol")
    bob.says("games").gets(1).hears("no games")


def test_who_leaves_the_server_leaves_the_other_boards(table: Table, people: list[Person]) -> None:
    alice, bob, carol = people
    alice.says("delete").says("yes")
    carol.gets(1).hears("alice resigned.")
    bob.hears_nothing()
    assert table.board(1).playing


def test_it_goes_on_when_the_game_is_back(table: Table, people: list[Person]) -> None:
    alice, bob, carol = people
    alice.says("move 2 a1-c3,d4")
    carol.says("i9-g7,f6").forgets()
    table.days_pass(10)
    bob.hears_nothing()
    alice.forgets()  # reminders of the other board
    assert {(row["stuck"], row["last_error"]) for row in table.rows("due")} == {(False, None)}
    with table.database.transaction() as work:
        hold(work, "abalone")
    table.days_pass(3.1)  # two of them were left, and a day may pass until it is looked at
    alice.gets(1).hears("Your move on board 1, by").says("1 a1-c3,d4")
    bob.gets(1).hears("Your move on board 1.")


def test_no_clock_runs_while_it_is_gone(table: Table) -> None:
    people = begun(table, "alice", "bob")
    table.days_pass(10)
    with table.database.transaction() as work:
        hold(work, "chess")
    table.days_pass(100)
    with table.database.transaction() as work:
        hold(work, "abalone")
    (stop,) = table.board(1).stops
    assert timedelta(days=100) <= stop.end - stop.begin <= timedelta(days=105)
    table.days_pass(10.9)
    assert table.board(1).playing
    people[1].hears_nothing()
    table.days_pass(6)
    assert table.board(1).winners == (2,)
