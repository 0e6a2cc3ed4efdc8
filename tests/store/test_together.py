"""Writes that wait go together, in an order that comes to the same."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import bindparam, delete, event, insert, select, update
from sqlalchemy.exc import IntegrityError

from pbm.store.db import Database, UnitOfWork
from pbm.store.schema.games import boards, moves, seats
from pbm.store.schema.mails import outbox
from pbm.store.schema.people import players
from pbm.store.together import Reach, Waiting, merged, reach_of
from tests.rows import each_row
from tests.table import START, Table

PLAYED = insert(moves).values(board_id=bindparam("board"))
SAT = update(seats).where(seats.c.board_id == bindparam("board"))
PROGRESS = update(boards).where(boards.c.id == bindparam("board"))
BEGUN = insert(boards).values(id=bindparam("board"))
TOLD = insert(outbox).values(board_id=bindparam("board"))
COUNTED = update(boards).values(ply=select(moves.c.ply).scalar_subquery())
ENDED = delete(boards).where(boards.c.id == bindparam("board"))


def waiting(**named: object) -> dict[str, Waiting]:
    """What waits, by a name that is its SQL, too."""
    return {name: Waiting(name, [name], reach_of(built)) for name, built in named.items()}


@each_row(
    ("order", "sent"),
    [
        ("played sat progress told played sat progress told", "played2 sat2 progress2 told2"),
        ("played counted played", "played counted played"),  # it reads what the other writes
        ("counted played counted", "counted played counted"),
        ("told begun told", "told begun told"),  # a mail refers to its board
        ("told ended told", "told ended told"),
        ("begun told begun told", "begun told begun told"),
        ("sat savepoint sat", "sat savepoint sat"),
    ],
)
def test_a_write_goes_only_past_what_it_has_nothing_to_do_with(order: str, sent: str) -> None:
    named = waiting(played=PLAYED, sat=SAT, progress=PROGRESS, told=TOLD, begun=BEGUN)
    named |= waiting(counted=COUNTED, ended=ENDED) | {"savepoint": Waiting("savepoint", [()])}
    calls = merged(named[name] for name in order.split())
    told = [f"{call.sql}{len(call.sets) if len(call.sets) > 1 else ''}" for call in calls]
    assert told == sent.split()


def test_what_a_statement_reaches_is_read_off_it() -> None:
    assert reach_of(select(boards)) is None
    assert reach_of(COUNTED) == Reach(
        "boards", frozenset({"boards", "moves"}), frozenset({"players"}), moves_rows=False
    )


@contextmanager
def heard(database: Database) -> Iterator[list[str]]:
    """The first words of the statements that the database hears of."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        found.append(sql.split(None, 1)[0])

    event.listen(database.engine, "before_cursor_execute", note)
    yield found
    event.remove(database.engine, "before_cursor_execute", note)


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    table = Table(database_url)
    table.start("alice", "bob")
    yield table
    table.database.close()


def undone(work: UnitOfWork, *, looks: bool) -> None:
    """Write something, look something up perhaps, and fail."""
    with work.savepoint():
        work.boards.note_answered(1, 2)
        if looks:
            work.timers.next_due_at()
        raise ZeroDivisionError


def test_the_database_hears_of_a_savepoint_only_where_something_goes_there(table: Table) -> None:
    with table.database.transaction() as work, heard(table.database) as found:
        work.players.end_absence(1)
        with work.savepoint():
            work.players.end_absence(2)
        with pytest.raises(ZeroDivisionError):
            undone(work, looks=False)
        work.flush()
    assert [word for word in found if word != "BEGIN"] == ["UPDATE"]
    with table.database.transaction() as work, heard(table.database) as found:
        work.players.end_absence(1)
        with pytest.raises(ZeroDivisionError):
            undone(work, looks=True)
        work.flush()
    told = [word for word in found if word != "BEGIN"]
    assert told == ["UPDATE", "SAVEPOINT", "UPDATE", "SELECT", "ROLLBACK", "RELEASE"]
    assert not table.board(1).seats[1].answered


def test_nobody_hears_of_a_transaction_in_which_nothing_happens(postgres_url: str) -> None:
    database = Database(postgres_url)
    with heard(database) as found, database.transaction() as work:
        assert not work.holding(1)
    with heard(database) as glanced, database.glance() as work:
        assert work.timers.next_due_at() is None
    assert (found, glanced) == ([], ["SELECT"])
    database.close()


def test_what_cannot_be_written_is_heard_of_when_it_goes_and_can_be_undone(table: Table) -> None:
    with table.database.transaction() as work:
        with pytest.raises(IntegrityError):
            twice(work)
        work.players.set_status(1, "suspended")
    with table.database.reading() as work:
        assert work.players.get(1).status == "suspended"
        assert work.players.get(1).handle == "alice"


def twice(work: UnitOfWork) -> None:
    """Give two players one handle."""
    with work.savepoint():
        work.players.change_handle(work.players.get(1), "carol")
        work.players.change_handle(work.players.get(1), "bob")
        work.flush()


def test_who_goes_through_everything_keeps_only_some_of_it(table: Table) -> None:
    with table.database.transaction() as work:
        rows = [
            {"handle": f"p{number}", "status": "active", "epoch": 1, "joined_at": START}
            for number in range(1500)
        ]
        work.run(insert(players).values(rows))
        people = work.players.all()
        assert len(people) == 1502
        with heard(table.database) as found:
            assert work.players.get(people[-1].id) == people[-1]
            assert found == []
            assert work.players.get(people[0].id) == people[0]
            assert found == ["SELECT"]
