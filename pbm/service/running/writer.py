"""Keeps the event loop free: named threads, and a writer that groups pieces of work."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from pbm.store.channels import Channel
from pbm.store.db import Database, UnitOfWork
from pbm.store.sql.driver import is_away, lost_a_race

T = TypeVar("T")
Piece = Callable[[UnitOfWork], T]
"""A piece of work within a transaction."""
Tell = Callable[[Collection[Channel]], None]
MOST_TOGETHER = 64
MOST_CLAIMED = 16
SLICE = 0.03  # seconds for the rows of one claim; other pieces of work wait
MOST_TRIES = 3  # of a piece whose transaction deadlocks or conflicts with another process
LONGEST = 0.005  # seconds of work until the event loop gets control; as for Python's threads


class Yielding:
    """Yields to the event loop, at most once every `LONGEST` seconds, since a yield is costly."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    async def let_others_in(self) -> None:
        if time.monotonic() - self._since > LONGEST:
            await asyncio.sleep(0)
            self._since = time.monotonic()


class InThread(Protocol):
    """Runs work in a thread, one call at a time."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]: ...


class Threads:
    """Threads by name, each started at its first use."""

    def __init__(self) -> None:
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def one(self, name: str) -> InThread:
        pool = self._pools.setdefault(name, ThreadPoolExecutor(1, f"pbm-{name}"))

        async def in_thread(work: Callable[[], T]) -> T:
            return await asyncio.get_running_loop().run_in_executor(pool, work)

        return in_thread

    def close(self) -> None:
        for pool in self._pools.values():
            pool.shutdown()


async def here(work: Callable[[], T]) -> T:
    """Run the work on the event loop, since SQLite answers faster than a thread wakes up."""
    return work()


class Claims(Generic[T]):
    """Rows that one statement claims for a transaction, whose pieces of work take one each.

    On PostgreSQL each piece has a transaction, and so a claim, of its own.
    """

    def __init__(self, database: Database) -> None:
        self.most = MOST_CLAIMED if database.embedded else 1
        self._work: UnitOfWork | None = None
        self._claimed: Iterator[T] = iter(())
        self._since = 0.0

    def are_late(self, work: UnitOfWork) -> bool:
        """Return whether the rest of the rows must wait for another transaction."""
        return self._work is work and time.monotonic() - self._since > SLICE

    def next(self, work: UnitOfWork, claim: Piece[Iterable[T]]) -> T | None:
        if self._work is not work:
            self._claimed, self._work, self._since = iter(claim(work)), work, time.monotonic()
        return next(self._claimed, None)


@dataclass
class _Asked(Generic[T]):
    """A queued piece of work, its caller's future, and the call that completes the future."""

    piece: Piece[T]
    is_slow: bool
    done: asyncio.Future[T]
    then: Callable[[], None] = field(init=False)

    def do(self, work: UnitOfWork) -> None:
        self.then = partial(self.done.set_result, self.piece(work))

    def fail(self, error: Exception) -> None:
        self.then = partial(self.done.set_exception, error)

    def settle(self) -> None:
        """Pass the result or error to the caller, unless the caller was cancelled."""
        if not self.done.done():
            self.then()


class Writer:
    """Runs pieces of database work in order of arrival; pieces that wait together share a commit.

    If a piece fails, all pieces of its group run again, each in its own transaction. On SQLite the
    event loop itself runs quick pieces, since that takes less time than waking a thread.
    """

    def __init__(self, database: Database, in_thread: InThread, tell: Tell | None = None) -> None:
        """`tell` is called after each commit, with the channels to notify."""
        self._database = database
        self._in_thread = in_thread
        self._tell = tell
        self._waited_for: frozenset[Channel] = frozenset()
        self._asked: deque[_Asked[Any]] = deque()
        self._working: asyncio.Task[None] | None = None

    def do(self, piece: Piece[T], *, slow: bool = False) -> asyncio.Future[T]:
        """Run a piece, even if the caller is cancelled. Raises the error of the piece or commit.

        A slow piece, which may take over 10 ms, never runs on the event loop.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._asked.append(_Asked(piece, slow, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return done

    async def idle(self) -> None:
        while self._working is not None:
            await asyncio.shield(self._working)

    async def _work(self) -> None:
        try:
            while self._asked:
                await self._do_group()
        finally:
            self._working = None

    def _waiting(self, group: list[_Asked[Any]]) -> Iterator[_Asked[Any]]:
        """Move pieces of work from the queue to `group`, and yield each. More may come."""
        while self._asked and len(group) < MOST_TOGETHER:
            group.append(self._asked.popleft())
            yield group[-1]

    async def _do_group(self) -> None:
        group: list[_Asked[Any]] = []
        try:
            await self._do_transaction(self._waiting(group))
        except Exception as error:  # noqa: BLE001 - raised at the caller
            if group and (lost_a_race(error) or (len(group) > 1 and not is_away(error))):
                await self._do_apart(group)
            else:
                if not group or is_away(error):  # the database is unreachable for the rest, too
                    group += [self._asked.popleft() for _ in range(len(self._asked))]
                _fail(group, error)
        for asked in group:
            asked.settle()

    async def _do_apart(self, group: Sequence[_Asked[Any]]) -> None:
        """Run each piece again in its own transaction; retry a piece that conflicts with others."""
        for number, asked in enumerate(group):
            for tries_left in reversed(range(MOST_TRIES)):
                try:
                    await self._do_transaction([asked])
                except Exception as error:  # noqa: BLE001 - raised at the caller
                    if tries_left and lost_a_race(error):
                        continue
                    asked.fail(error)
                    if is_away(error):
                        _fail(group[number:], error)
                        return
                break

    async def _do_transaction(self, pieces: Iterable[_Asked[Any]]) -> None:
        if self._database.embedded:
            await self._do_here(pieces)
        else:
            await self._in_thread(partial(self._do_all, pieces))
        if self._tell:
            self._tell(self._waited_for)

    def _do_all(self, pieces: Iterable[_Asked[Any]]) -> None:
        with self._database.transaction() as work:
            for asked in pieces:
                asked.do(work)
            self._waited_for = frozenset(work.notified)

    async def _do_here(self, pieces: Iterable[_Asked[Any]]) -> None:
        yielding = Yielding()
        with ExitStack() as stack:  # rolls back on an error, or when this is cancelled
            # In the thread, since another process may be writing.
            work = await self._in_thread(lambda: stack.enter_context(self._database.transaction()))
            for asked in pieces:
                run = self._in_thread if asked.is_slow else here
                await run(partial(asked.do, work))
                await yielding.let_others_in()
            self._waited_for = frozenset(work.notified)
            await self._in_thread(stack.close)  # the commit waits for the disk


def _fail(group: Sequence[_Asked[Any]], error: Exception) -> None:
    for asked in group:
        asked.fail(error)
