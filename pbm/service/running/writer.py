"""Keeps the event loop free: work in steps, named threads, and a writer that groups commits."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from pbm.store.channels import Channel
from pbm.store.db import Database, UnitOfWork
from pbm.store.sql.driver import is_away, lost_a_race

T = TypeVar("T")
Steps = Generator[bool, None, T]
"""Work in steps: yields before each step, True if it may be slow. Other tasks run in between."""
Piece = Callable[[UnitOfWork], T]
"""A piece of work within a transaction."""
Tell = Callable[[Collection[Channel]], None]
MOST_TOGETHER = 64
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


def at_once(steps: Steps[T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            outcome: T = ended.value
            return outcome


async def between_others(steps: Steps[None], in_thread: InThread) -> None:
    """Run short steps on the event loop, in turn with other tasks, and slow steps in a thread."""
    yielding = Yielding()
    next_step = partial(next, steps, None)
    is_long: bool | None = False
    try:
        while is_long is not None:
            is_long = await in_thread(next_step) if is_long else next_step()
            await yielding.let_others_in()
    finally:
        steps.close()  # rolls back if it was cancelled, or no thread was available


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


@dataclass
class _Asked(Generic[T]):
    """A queued piece of work, its caller's future, and the call that completes the future."""

    steps: Piece[Steps[T]]
    done: asyncio.Future[T]
    then: Callable[[], None] = field(init=False)

    def do(self, work: UnitOfWork) -> Steps[None]:
        self.then = partial(self.done.set_result, (yield from self.steps(work)))

    def fail(self, error: Exception) -> None:
        self.then = partial(self.done.set_exception, error)

    def settle(self) -> None:
        """Pass the result or error to the caller, unless the caller was cancelled."""
        if not self.done.done():
            self.then()


class Writer:
    """Runs pieces of database work in order of arrival; pieces that wait together share a commit.

    If a piece fails, all pieces of its group run again, each in its own transaction. On SQLite the
    event loop itself runs quick steps, since that takes less time than waking a thread.
    """

    def __init__(self, database: Database, in_thread: InThread, tell: Tell | None = None) -> None:
        """`tell` is called after each commit, with the channels to notify."""
        self._database = database
        self._in_thread = in_thread
        self._tell = tell
        self._waited_for: frozenset[Channel] = frozenset()
        self._asked: deque[_Asked[Any]] = deque()
        self._working: asyncio.Task[None] | None = None

    async def do(self, piece: Piece[T]) -> T:
        """Run a piece, even if the caller is cancelled. Raises the error of the piece or commit."""
        return await self.do_steps(partial(_in_one_step, piece))

    async def do_steps(self, piece: Piece[Steps[T]]) -> T:
        """Run a piece of work in steps; returns and raises like `do`."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._asked.append(_Asked(piece, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await done

    async def idle(self) -> None:
        """Wait until all queued work is done."""
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
        steps = self._transaction(pieces)
        if self._database.embedded:
            await between_others(steps, self._in_thread)
        else:
            await self._in_thread(partial(at_once, steps))
        if self._tell:
            self._tell(self._waited_for)

    def _transaction(self, pieces: Iterable[_Asked[Any]]) -> Steps[None]:
        yield True  # another process may be writing
        with self._database.transaction() as work:
            yield False
            for asked in pieces:
                yield from asked.do(work)
                yield False
            self._waited_for = frozenset(work.notified)
            yield True  # the commit waits for the disk


def _in_one_step(piece: Piece[T], work: UnitOfWork) -> Steps[T]:
    yield False
    return piece(work)


def _fail(group: Sequence[_Asked[Any]], error: Exception) -> None:
    for asked in group:
        asked.fail(error)
