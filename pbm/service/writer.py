"""Everything that is written goes through a writer: what comes at once shares one commit."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pbm.store.db import Database, UnitOfWork
from pbm.store.together import Piece, do_together, look_up_together

InThread = Callable[[Callable[[], Any]], Awaitable[Any]]
Bulk = Callable[[UnitOfWork, Sequence[Any]], None]
MOST_TOGETHER = 64


@dataclass
class _Asked:
    """A piece of work, and those who wait for it."""

    piece: Piece
    waiting: list[asyncio.Future[Any]] = field(default_factory=list)


class Writer:
    """Does pieces of work in a thread, in the order in which they came.

    While one transaction is being committed, what comes meanwhile waits, and shares the next.
    Each piece hears of its end only after the commit that made it true.
    """

    def __init__(
        self, database: Database, in_thread: InThread, then_tell: str | None = None
    ) -> None:
        """`then_tell` is the channel on which other processes wait for such work."""
        self._database = database
        self._in_thread = in_thread
        self._then_tell = then_tell
        self._asked: deque[_Asked] = deque()
        self._bulks: dict[Bulk, tuple[_Asked, list[Any]]] = {}
        self._working: asyncio.Task[None] | None = None

    async def do(self, piece: Piece) -> Any:
        """Do a piece of work and return what it returns, after the commit.

        Raises what it raises, or what the commit raised; then nothing of it was done. Who is
        cancelled while waiting stops nothing: the work is done all the same.
        """
        asked = _Asked(piece)
        self._asked.append(asked)
        return await self._wait_for(asked)

    async def do_in_bulk(self, bulk: Bulk, item: Any) -> None:
        """Let `bulk` do an item together with all others that wait for it; as `do` else."""
        if bulk not in self._bulks:
            items: list[Any] = []
            asked = _Asked(partial(_run_bulk, bulk, items))
            self._bulks[bulk] = asked, items
            self._asked.append(asked)
        asked, items = self._bulks[bulk]
        items.append(item)
        await self._wait_for(asked)

    async def idle(self) -> None:
        """Wait until nothing is left to do."""
        while self._working is not None:
            await asyncio.shield(self._working)

    async def _wait_for(self, asked: _Asked) -> Any:
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        asked.waiting.append(done)
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await done

    async def _work(self) -> None:
        try:
            while self._asked:
                count = min(len(self._asked), MOST_TOGETHER)
                group = [self._asked.popleft() for _ in range(count)]
                self._bulks = {
                    bulk: kept for bulk, kept in self._bulks.items() if kept[0] in self._asked
                }
                await self._do_group(group)
        finally:
            self._working = None

    async def _do_group(self, group: list[_Asked]) -> None:
        pieces = [asked.piece for asked in group]
        try:
            outcomes = await self._in_thread(lambda: self._together(pieces))
        except Exception as error:  # noqa: BLE001 - whoever waits hears of it
            outcomes = [error] * len(group)
        for asked, outcome in zip(group, outcomes, strict=True):
            for done in asked.waiting:
                _settle(done, outcome)

    def _together(self, pieces: Sequence[Piece]) -> list[Any]:
        return do_together(self._database, pieces, self._then_tell)


class Reader(Writer):
    """Looks up in a thread what is asked for; what comes at once shares a look."""

    def __init__(self, database: Database, in_thread: InThread) -> None:
        super().__init__(database, in_thread)

    def _together(self, pieces: Sequence[Piece]) -> list[Any]:
        return look_up_together(self._database, pieces)


def _run_bulk(bulk: Bulk, items: Sequence[Any], work: UnitOfWork) -> None:
    bulk(work, items)


def _settle(done: asyncio.Future[Any], outcome: Any) -> None:
    if done.done():
        return  # whoever asked has left
    if isinstance(outcome, Exception):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)
