"""The writer: what comes at once shares a commit, and what fails stops nothing else."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DatabaseError, OperationalError

from pbm.service.running import writer as running_writer
from pbm.service.running.writer import Claims, Writer
from pbm.store.db import UnitOfWork
from tests.polling import PATIENCE
from tests.table import Table


def noting(table: Table, name: str) -> Callable[[UnitOfWork], str]:
    """A piece of work that writes something down."""

    def note(work: UnitOfWork) -> str:
        work.facts.note(name, {}, table.clock())
        return name

    return note


def noted(table: Table) -> set[str]:
    return {row["name"] for row in table.rows("facts")}


def in_a_scene(table: Table, scene: Callable[[Writer], Awaitable[Any]]) -> Any:
    """Run a scene with a writer whose thread is its own."""

    async def run() -> Any:
        with ThreadPoolExecutor(1, "writing") as pool:

            async def in_thread(work: Callable[[], Any]) -> Any:
                return await asyncio.get_running_loop().run_in_executor(pool, work)

            writer = Writer(table.database, in_thread)
            outcome = await scene(writer)
            await writer.idle()
            return outcome

    return asyncio.run(run())


def commits(table: Table) -> list[None]:
    """A list that grows with every commit."""
    found: list[None] = []
    event.listen(table.database.engine, "commit", lambda _: found.append(None))
    return found


def test_what_fails_is_undone_alone(table: Table) -> None:
    def broken(work: UnitOfWork) -> None:
        noting(table, "broken")(work)
        raise ZeroDivisionError

    async def scene(writer: Writer) -> list[Any]:
        pieces = (noting(table, "first"), broken, noting(table, "last"))
        return await asyncio.gather(*map(writer.do, pieces), return_exceptions=True)

    first, failed, last = in_a_scene(table, scene)
    assert (first, type(failed), last) == ("first", ZeroDivisionError, "last")
    assert noted(table) == {"first", "last"}


def test_what_is_slow_is_done_in_the_thread(table: Table) -> None:
    threads: list[bool] = []

    def piece(work: UnitOfWork) -> None:
        threads.append(threading.current_thread() is threading.main_thread())
        noting(table, str(len(threads)))(work)

    async def scene(writer: Writer) -> None:
        await asyncio.gather(*(writer.do(piece, slow=slow) for slow in (False, True, False)))

    found = commits(table)
    in_a_scene(table, scene)
    # The event loop does what is short itself where the database is in this process.
    assert threads == ([True, False, True] if table.database.embedded else [False] * 3)
    assert noted(table) == {"1", "2", "3"}
    assert len(found) == 1


def test_rows_are_claimed_once_in_a_transaction_and_wait_for_the_next(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = Claims[int](table.database)
    with table.database.transaction() as work:
        assert [claims.next(work, lambda _: [1, 2]) for _ in range(3)] == [1, 2, None]
    with table.database.transaction() as other:
        assert claims.next(other, lambda _: [1, 2]) == 1
    assert not claims.are_late(work)
    assert not claims.are_late(other)
    monkeypatch.setattr(running_writer, "SLICE", 0)
    assert not claims.are_late(work)
    assert claims.are_late(other)


def test_who_is_cancelled_stops_nothing(table: Table) -> None:
    async def scene(writer: Writer) -> None:
        asking = writer.do(noting(table, "left"))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])

    in_a_scene(table, scene)
    assert noted(table) == {"left"}


@pytest.mark.parametrize(
    "trouble",
    [
        OperationalError("BEGIN", None, OSError("gone")),
        DatabaseError("BEGIN", None, OSError("file is not a database")),  # which is not away
        RuntimeError("can't start new thread"),
    ],
    ids=lambda trouble: type(trouble).__name__,
)
def test_everybody_hears_of_what_cannot_begin(table: Table, trouble: Exception) -> None:
    def broken(_: object) -> None:
        raise trouble

    async def scene(writer: Writer) -> list[Any]:
        pieces = [noting(table, str(number)) for number in range(3)]
        event.listen(table.database.engine, "begin", broken)
        async with asyncio.timeout(PATIENCE):  # a guard: else they would wait for ever
            outcomes = await asyncio.gather(*map(writer.do, pieces), return_exceptions=True)
        event.remove(table.database.engine, "begin", broken)
        return [type(outcome) for outcome in outcomes] + [await writer.do(noting(table, "later"))]

    assert in_a_scene(table, scene) == [type(trouble)] * 3 + ["later"]
    assert noted(table) == {"later"}


def test_everybody_hears_of_a_thread_that_is_closed(embedded: Table) -> None:
    async def scene() -> Any:
        goes = 0

        async def in_thread(_: object) -> None:
            nonlocal goes
            goes += 1
            if goes > 10:  # nobody else on the loop would ever come to his turn
                raise asyncio.CancelledError
            raise RuntimeError("cannot schedule new futures after shutdown")

        asking = Writer(embedded.database, in_thread).do(noting(embedded, "late"))
        await asyncio.wait({asking}, timeout=PATIENCE)
        return asking.done() and asking.exception()

    assert isinstance(asyncio.run(scene()), RuntimeError)


def test_what_comes_while_a_piece_is_done_shares_its_commit(embedded: Table) -> None:
    found = commits(embedded)

    async def scene(writer: Writer) -> None:
        asked: list[asyncio.Future[Any]] = []

        def piece(work: UnitOfWork) -> None:
            asked.append(writer.do(noting(embedded, "meanwhile")))
            noting(embedded, "first")(work)

        await writer.do(piece)
        assert asked[0].done() or len(found) == 1
        await asked[0]

    in_a_scene(embedded, scene)
    assert len(found) == 1
    assert noted(embedded) == {"first", "meanwhile"}
