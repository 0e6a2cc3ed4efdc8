"""Everything that is written goes through a writer: what comes at once shares one commit."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from pbm.store.db import Database
from pbm.store.together import Piece, do_together

InThread = Callable[[Callable[[], Any]], Awaitable[Any]]
MOST_TOGETHER = 64


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
        self._waiting: deque[tuple[Piece, asyncio.Future[Any]]] = deque()
        self._working: asyncio.Task[None] | None = None

    async def do(self, piece: Piece) -> Any:
        """Do a piece of work and return what it returns, after the commit.

        Raises what it raises, or what the commit raised; then nothing of it was done. Who is
        cancelled while waiting stops nothing: the work is done all the same.
        """
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((piece, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await done

    async def idle(self) -> None:
        """Wait until nothing is left to do."""
        while self._working is not None:
            await asyncio.shield(self._working)

    async def _work(self) -> None:
        try:
            while self._waiting:
                count = min(len(self._waiting), MOST_TOGETHER)
                group = [self._waiting.popleft() for _ in range(count)]
                await self._do_group(group)
        finally:
            self._working = None

    async def _do_group(self, group: list[tuple[Piece, asyncio.Future[Any]]]) -> None:
        pieces = [piece for piece, _ in group]
        try:
            outcomes = await self._in_thread(
                lambda: do_together(self._database, pieces, self._then_tell)
            )
        except Exception as error:  # noqa: BLE001 - whoever waits hears of it
            outcomes = [error] * len(group)
        for (_, done), outcome in zip(group, outcomes, strict=True):
            if done.done():
                continue  # whoever asked has left
            if isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)
