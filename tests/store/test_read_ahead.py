"""Boards that are locked for several turns at once, and those that have to be left alone."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event, text

from pbm.store.db import UnitOfWork
from pbm.store.read_ahead import MARKS_READ, ROUNDS_SHOWN, NotHeldError
from pbm.store.values.plies import NewPly, Progress
from tests.plans import generic_plan
from tests.table import START, Table

PLIES = 1000


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


@pytest.mark.parametrize("is_generic", [True, False], ids=["any values", "these values"])
@pytest.mark.parametrize(
    ("column", "most"),
    [("effect", 2 * ROUNDS_SHOWN), ("stood", MARKS_READ)],
    ids=["plies", "marks"],
)
def test_the_latest_plies_are_read_and_no_others(
    postgres_url: str, column: str, most: int, *, is_generic: bool
) -> None:
    """However many there are, and however many versions of its board a snapshot keeps."""
    table = Table(postgres_url)
    table.start("alice", "bob")
    table.begins("alice", "bob", times=3)
    with table.database.transaction() as work:
        work.run(_MANY_PLIES)
    with table.database.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE moves"))
    asked: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, sql: str, values: Any, *_: object) -> None:
        asked.append((sql, values))

    event.listen(table.database.engine, "before_cursor_execute", note)
    with table.database.transaction() as work:
        work.take_ahead([1, 2, 3], [])
    event.remove(table.database.engine, "before_cursor_execute", note)
    ((sql, values),) = [each for each in asked if f"moves.{column}" in each[0]]
    with table.database.engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        explain = "EXPLAIN (ANALYZE, FORMAT JSON)"
        if is_generic:
            (found,) = generic_plan(driver, sql, values, explain)
        else:
            (found,) = driver.execute(f"{explain} {sql}", values).fetchone()
    assert sum(_rows_read(found[0]["Plan"], "moves")) == 3 * most
    table.database.close()


@pytest.mark.parametrize(
    "stood", ["mark of ply 999 ", "mark of ply 0000", "another mark ...", None]
)
def test_how_often_a_position_has_stood_is_what_the_database_counts(
    postgres_url: str, stood: str | None
) -> None:
    """Among those plies whose marks were read, and among more."""
    table = Table(postgres_url)
    table.start("alice", "bob")
    table.begins("alice", "bob", times=2)
    with table.database.transaction() as work:
        work.run(_MANY_PLIES)
        work.run(_MANY_MARKS)
        work.boards.change(1, ply=PLIES)
    for since in (0, 2, 400, PLIES - MARKS_READ, PLIES - MARKS_READ + 1, PLIES - 7, PLIES + 1):
        with table.database.engine.connect() as connection, connection.begin() as undone:
            work = UnitOfWork(connection)
            assert work.take_ahead([1], []).boards == {1}
            for ply in (PLIES + 1, PLIES + 2):
                board = work.boards.get(1)
                played = NewPly(ply, 1, "a1-c3,d4", {}, stood)
                progress = Progress(board.state, ply, board.seats[0].player_id)
                work.playing.add_ply(board, played, progress, START, since=since, first=1)
            told = work.plies.of(1, since=PLIES)
            work.flush()
            assert told == UnitOfWork(connection).plies.of(1, since=PLIES)
            assert [ply.ply for ply in told] == [PLIES + 1, PLIES + 2]
            undone.rollback()
    table.database.close()


_MANY_PLIES = text(f"""
INSERT INTO moves (board_id, ply, seat, text, effect, played_at)
SELECT board, ply, 1, 'a1-c3,d4', '{{}}', now()
FROM generate_series(1, 3) AS board, generate_series(1, {PLIES}) AS ply
""")
_MANY_MARKS = text("""
UPDATE moves SET stood = CASE ply % 7
WHEN 0 THEN 'mark of ply 0000' WHEN 1 THEN NULL ELSE rpad('mark of ply ' || ply, 16) END
""")


def _rows_read(plan: Any, table: str) -> Iterator[int]:
    """How many rows of a table each step of a plan has read, in all its loops."""
    if plan.get("Relation Name") == table:
        thrown_away = plan.get("Rows Removed by Filter", 0)
        yield round((plan["Actual Rows"] + thrown_away) * plan["Actual Loops"])
    for part in plan.get("Plans", ()):
        yield from _rows_read(part, table)


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
