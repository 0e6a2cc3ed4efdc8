"""Boards that are locked for several turns at once, and those that have to be left alone."""

import pytest

from pbm.store.db import UnitOfWork
from pbm.store.read_ahead import NotHeldError
from tests.table import Table


def test_what_somebody_else_has_locked_is_left_alone(postgres_url: str) -> None:
    table = Table(postgres_url)
    table.start("alice", "bob")
    table.begins("alice", "bob", times=2)
    with table.database.transaction() as other, table.database.transaction() as work:
        assert other.boards.get(2, lock=True).id == 2
        assert work.take_ahead([3, 2, 1, 2, 99], [1]).boards == {1, 3}
        assert [work.holding(number) for number in (1, 2, 3, 99)] == [True, False, True, False]
        work.in_group = True
        assert work.boards.get(3, lock=True).id == 3
        with pytest.raises(NotHeldError) as refused:
            work.boards.get(2, lock=True)
        assert refused.value.board_id == 2
        assert work.boards.get(2).id == 2  # whoever only looks waits for nobody
    table.database.close()


def test_what_was_locked_inside_a_savepoint_is_free_after_it_was_undone(postgres_url: str) -> None:
    table = Table(postgres_url)
    table.start("alice", "bob")
    with table.database.transaction() as work:
        with pytest.raises(ZeroDivisionError):
            lock_and_fail(work)
        assert not work.holding(1)
        with work.savepoint():
            work.boards.get(1, lock=True)
        assert work.holding(1)
    table.database.close()


def test_nobody_waits_for_a_board_of_an_embedded_database(sqlite_url: str) -> None:
    table = Table(sqlite_url)
    table.start("alice", "bob")
    with table.database.transaction() as work:
        assert work.take_ahead([1, 99], []).boards == {1}
        work.in_group = True
        assert work.boards.get(1, lock=True).id == 1
    table.database.close()


def lock_and_fail(work: UnitOfWork) -> None:
    with work.savepoint():
        work.boards.get(1, lock=True)
        assert work.holding(1)
        raise ZeroDivisionError
