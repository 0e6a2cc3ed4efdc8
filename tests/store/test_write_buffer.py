"""Writes are buffered, and go with the next read or the commit; rows that were read are cached."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

import pytest
from sqlalchemy import event, insert, update
from sqlalchemy.exc import IntegrityError

from pbm.store.db import Database, UnitOfWork
from pbm.store.repositories.boards import Boards
from pbm.store.repositories.plies import Playing
from pbm.store.schema.games import boards
from pbm.store.schema.people import players
from pbm.store.sql.driver import Call
from pbm.store.values.boards import Board, Progress
from tests.table import START, Table


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
def table(table: Table) -> Table:
    table.start("alice", "bob")
    return table


def undone(work: UnitOfWork, *, looks: bool) -> None:
    """Write something, look something up perhaps, and fail."""
    with work.savepoint():
        work.boards.note_answered(1, 2)
        if looks:
            work.timers.next_due_at()
        raise ZeroDivisionError


def test_the_database_hears_of_a_savepoint_only_where_something_goes_there(table: Table) -> None:
    with table.database.transaction() as work, heard(table.database) as found:
        work.players.change(1, absent_since=None)
        with work.savepoint():
            work.players.change(2, absent_since=None)
        with pytest.raises(ZeroDivisionError):
            undone(work, looks=False)
        work.flush()
    assert [word for word in found if word != "BEGIN"] == ["UPDATE", "UPDATE"]
    with table.database.transaction() as work, heard(table.database) as found:
        work.players.change(1, absent_since=None)
        with pytest.raises(ZeroDivisionError):
            undone(work, looks=True)
        work.flush()
    told = [word for word in found if word != "BEGIN"]
    assert told == ["UPDATE", "SAVEPOINT", "UPDATE", "SELECT", "ROLLBACK", "RELEASE"]
    assert not table.board(1).seats[1].answered


def test_nobody_hears_of_a_transaction_in_which_nothing_happens(postgres_url: str) -> None:
    database = Database(postgres_url)
    with heard(database) as found, database.transaction() as work:
        assert work.is_shared
    with heard(database) as glanced, database.glance() as work:
        assert work.timers.next_due_at() is None
    assert (found, glanced) == ([], ["SELECT"])
    database.close()


def test_what_follows_a_finished_turn_is_undone_by_itself(shared: Table) -> None:
    shared.start("alice", "bob")
    with suppress(ZeroDivisionError), shared.database.transaction() as work:
        work.boards.get(1, lock=True)
        work.boards.change(1, taken_back=7)
        work.end()
        assert not work.holds(1)
        work.boards.change(1, taken_back=8)
        with work.savepoint():
            assert work.boards.get(1).taken_back == 8
        raise ZeroDivisionError
    assert shared.board(1).taken_back == 7


def test_what_cannot_be_written_is_heard_of_when_it_goes_and_can_be_undone(table: Table) -> None:
    with table.database.transaction() as work:
        with pytest.raises(IntegrityError):
            twice(work)
        work.players.change(1, status="suspended")
    with table.database.reading() as work:
        assert work.players.get(1).status == "suspended"
        assert work.players.get(1).handle == "alice"


def twice(work: UnitOfWork) -> None:
    """Give two players one handle."""
    with work.savepoint():
        work.players.change_handle(work.players.get(1), "carol")
        work.players.change_handle(work.players.get(1), "bob")
        work.flush()


def test_rows_are_read_again_only_after_their_table_was_written(table: Table) -> None:
    with table.database.transaction() as work, heard(table.database) as found:
        before = work.boards.get(1)
        assert work.boards.get(1) is before
        reads = found.count("SELECT")
        work.players.change(1, absent_since=None)  # the seats show their players
        assert work.boards.get(1) == before
        assert found.count("SELECT") == reads + 1
        work.boards.change(1, taken_back=7)
        assert work.boards.get(1).taken_back == 7
        work.execute(update(boards).values(taken_back=8))
        assert work.boards.get(1).taken_back == 8


def test_rows_that_were_written_inside_an_undone_savepoint_are_read_again(table: Table) -> None:
    with table.database.transaction() as work:
        with suppress(ZeroDivisionError), work.savepoint():
            work.boards.change(1, taken_back=7)
            assert work.boards.get(1).taken_back == 7
            raise ZeroDivisionError
        assert work.boards.get(1).taken_back == 0


def test_what_others_commit_is_seen_after_a_lock(shared: Table) -> None:
    shared.start("alice", "bob")
    with shared.database.transaction() as work:
        assert (work.boards.get(1).taken_back, work.players.get(1).handle) == (0, "alice")
        with shared.database.transaction() as other:
            other.boards.change(1, taken_back=7)
            other.players.change_handle(other.players.get(1), "anna")
        assert work.boards.get(1).taken_back == 0
        assert work.boards.get(1, lock=True).taken_back == 7
        assert work.players.get(1).handle == "anna"


def test_a_lock_inside_an_undone_savepoint_is_taken_again(shared: Table) -> None:
    shared.start("alice", "bob")
    with shared.database.transaction() as work:
        with suppress(ZeroDivisionError), work.savepoint():
            work.boards.get(1, lock=True)
            raise ZeroDivisionError
        work.flush()
        with shared.database.transaction() as other:
            other.boards.get(1, lock=True)
            other.boards.change(1, taken_back=7)
        assert work.boards.get(1, lock=True).taken_back == 7


def test_a_transaction_that_reads_everything_caches_some_of_it(table: Table) -> None:
    with table.database.transaction() as work:
        rows = [
            {"handle": f"p{number}", "status": "active", "epoch": 1, "joined_at": START}
            for number in range(1500)
        ]
        work.execute(insert(players).values(rows))
        for number in range(1, 1503):
            work.players.get(number)
        with heard(table.database) as found:
            work.players.get(1502)
            assert found == []
            work.players.get(1)
            assert found == ["SELECT"]


def test_an_earlier_write_that_fails_is_reported_before_a_savepoint(table: Table) -> None:
    with pytest.raises(IntegrityError), table.database.transaction() as work:
        name_everybody(work, "bob")
    with table.database.reading() as work:
        assert work.players.get(1).status == "active"


def name_everybody(work: UnitOfWork, handle: str) -> None:
    """Give all players one handle, in a write that is still buffered when a savepoint is opened."""
    work.players.change(1, status="suspended")
    call = Call(f"UPDATE players SET handle = '{handle}'")
    work.write(call, frozenset({"players"}))
    with work.savepoint():
        pytest.fail("the savepoint is open")


def test_a_cached_board_is_as_it_was_written(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    class Compared(Playing):
        def set_progress(self, board: Board, progress: Progress, now: datetime) -> Board:
            after = super().set_progress(board, progress, now)
            self._transaction.cache.clear()
            assert Boards(self._transaction).get(board.id) == after
            compared.append(board.ply)
            return after

    monkeypatch.setattr(UnitOfWork.__dict__["playing"], "_make", Compared)
    alice, bob = (table.person(f"{name}@example.org") for name in ("alice", "bob"))
    alice.says("a1-c3,b2")
    bob.says("i5-g5,h5")
    bob.says("undo")
    alice.says("yes")
    bob.says("i6-g6,h6")
    alice.says("resign")
    assert compared == [0, 1, 2, 1, 2]
