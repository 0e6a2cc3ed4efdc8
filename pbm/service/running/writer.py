"""Everything that is written goes through a writer: what comes at once shares one commit."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from pbm.store.db import Database, UnitOfWork, is_away
from pbm.store.waking import tell

T = TypeVar("T")
Piece = Callable[[UnitOfWork], T]
"""Work within a transaction."""
MOST_TOGETHER = 64


class InThread(Protocol):
    """Does work in a thread, one piece after another."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """Return what the work returns."""


@dataclass
class _Asked(Generic[T]):
    """A piece of work, who waits for it, and what to tell them when it is over."""

    piece: Piece[T]
    done: asyncio.Future[T]
    then: Callable[[], None] = field(init=False)

    def do(self, work: UnitOfWork) -> None:
        """Do it; what it comes to is told once that is committed."""
        self.then = partial(self.done.set_result, self.piece(work))

    def fail(self, error: Exception) -> None:
        """Tell that nothing of it was done."""
        self.then = partial(self.done.set_exception, error)

    def settle(self) -> None:
        """Tell who waits; whoever has left hears nothing."""
        if not self.done.done():
            self.then()


class Writer:
    """Does pieces of work that write, in the order in which they came, in a thread.

    While one transaction is being done, what comes meanwhile waits, and shares the next. Each
    piece hears of its end only after its commit. Pieces have no savepoints: where one fails, all
    of its transaction are undone, and done again in a transaction each.
    """

    def __init__(
        self, database: Database, in_thread: InThread, then_tell: str | None = None
    ) -> None:
        """`then_tell` is the channel on which other processes wait for such work."""
        self._database = database
        self._in_thread = in_thread
        self._then_tell = then_tell
        self._asked: deque[_Asked[Any]] = deque()
        self._working: asyncio.Task[None] | None = None

    async def do(self, piece: Piece[T]) -> T:
        """Do a piece of work and return what it returns, after the transaction's end.

        Raises what it raises, or what the commit raised; then nothing of it was done. Who is
        cancelled while waiting stops nothing: the work is done all the same.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._asked.append(_Asked(piece, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await done

    async def idle(self) -> None:
        """Wait until nothing is left to do."""
        while self._working is not None:
            await asyncio.shield(self._working)

    async def _work(self) -> None:
        try:
            while self._asked:
                await self._do_next()
        finally:
            self._working = None

    async def _do_next(self) -> None:
        count = min(len(self._asked), MOST_TOGETHER)
        group = [self._asked.popleft() for _ in range(count)]
        try:
            await self._in_thread(partial(self._do_together, group))
        except Exception as error:  # noqa: BLE001 - no thread is to be had; who waits hears of it
            _fail(group, error)
        for asked in group:
            asked.settle()

    def _do_together(self, group: Sequence[_Asked[Any]]) -> None:
        """Do pieces in one transaction; in one each, if any of them fails."""
        try:
            self._do_in_transaction(group)
        except Exception as error:  # noqa: BLE001 - whoever waits hears of it
            if len(group) == 1 or is_away(error):
                _fail(group, error)
                return
            for asked in group:
                self._do_together([asked])

    def _do_in_transaction(self, group: Sequence[_Asked[Any]]) -> None:
        with self._database.transaction() as work:
            for asked in group:
                asked.do(work)
            if self._then_tell:
                tell(work, self._then_tell)


class Reader:
    """Looks one thing up at a time, in a thread, and waits for no writer."""

    def __init__(self, database: Database, in_thread: InThread) -> None:
        self._database = database
        self._in_thread = in_thread

    async def do(self, piece: Piece[T]) -> T:
        """Do a piece of work that looks one thing up, and return what it returns."""
        return await self._in_thread(partial(self._look, piece))

    def _look(self, piece: Piece[T]) -> T:
        with self._database.glance() as work:
            return piece(work)


def _fail(group: Sequence[_Asked[Any]], error: Exception) -> None:
    for asked in group:
        asked.fail(error)
