"""Everything that is written goes through a writer: what comes at once shares one commit."""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pbm.service.running.yielding import Yielding
from pbm.store.db import Database, UnitOfWork
from pbm.store.together import (
    Piece,
    Steps,
    do_together,
    is_database_away,
    look_up_together,
    transaction_beside,
)

InThread = Callable[[Callable[[], Any]], Awaitable[Any]]
Bulk = Callable[[UnitOfWork, Sequence[Any]], None]
MOST_TOGETHER = 64


@dataclass
class _Asked:
    """A piece of work, and those who wait for it."""

    piece: Piece
    waiting: list[asyncio.Future[Any]] = field(default_factory=list)

    def settle(self, outcome: Any) -> None:
        """Tell those who wait; whoever has left hears nothing."""
        for done in self.waiting:
            if done.done():
                continue
            if isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)


class _Groups(ABC):
    """Does pieces of work in the order in which they came, and those that wait together."""

    def __init__(self, database: Database, in_thread: InThread) -> None:
        self._database = database
        self._in_thread = in_thread
        self._asked: deque[_Asked] = deque()
        self._working: asyncio.Task[None] | None = None

    async def do(self, piece: Piece) -> Any:
        """Do a piece of work and return what it returns, after the transaction's end.

        Raises what it raises, or what the commit raised; then nothing of it was done. Who is
        cancelled while waiting stops nothing: the work is done all the same.
        """
        asked = _Asked(piece)
        self._asked.append(asked)
        return await self._wait_for(asked)

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
                await self._do_group()
        finally:
            self._working = None

    def _next(self) -> _Asked:
        return self._asked.popleft()

    @abstractmethod
    async def _do_group(self) -> None:
        """Take pieces that wait, do them, and settle them."""

    async def _do_in_thread(self, together: Callable[[Sequence[Piece]], list[Any]]) -> None:
        count = min(len(self._asked), MOST_TOGETHER)
        group = [self._next() for _ in range(count)]
        pieces = [asked.piece for asked in group]
        try:
            outcomes = await self._in_thread(partial(together, pieces))
        except Exception as error:  # noqa: BLE001 - whoever waits hears of it
            outcomes = [error] * len(group)
        for asked, outcome in zip(group, outcomes, strict=True):
            asked.settle(outcome)


class Reader(_Groups):
    """Looks up what is asked for: here in an embedded database, which answers at once; else in a
    thread, and what comes at once shares a look."""

    async def do(self, piece: Piece) -> Any:
        """Do a piece of work that looks one thing up, and return what it returns."""
        if not self._database.embedded:
            return await super().do(piece)
        with self._database.glance() as work:
            return piece(work)

    async def _do_group(self) -> None:
        await self._do_in_thread(partial(look_up_together, self._database))


class Writer(_Groups):
    """Does pieces of work that write. Each hears of its end only after its commit.

    On a shared database, which may be far away, a whole group is a thread's: while one
    transaction is being committed, what comes meanwhile waits, and shares the next. An embedded
    one answers within this process, and its statements are over sooner than a thread takes to
    wake: there the event loop does the steps itself, lets others in between, and takes what they
    ask for into the same transaction. Only its begin, its commit, and steps that may take long
    are a thread's.
    """

    def __init__(
        self, database: Database, in_thread: InThread, then_tell: str | None = None
    ) -> None:
        """`then_tell` is the channel on which other processes wait for such work."""
        super().__init__(database, in_thread)
        self._then_tell = then_tell
        self._bulks: dict[Bulk, tuple[_Asked, list[Any]]] = {}

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

    def _next(self) -> _Asked:
        first = super()._next()
        self._bulks = {bulk: kept for bulk, kept in self._bulks.items() if kept[0] is not first}
        return first

    async def _do_group(self) -> None:
        if self._database.embedded:
            await self._do_here()
        else:
            await self._do_in_thread(
                lambda pieces: do_together(self._database, pieces, self._then_tell)
            )

    async def _do_here(self) -> None:
        """As `do_together` does it."""
        group: list[_Asked] = []
        outcomes: list[Any] = []
        try:
            async with transaction_beside(self._database, self._in_thread) as work:
                courtesy = Yielding()
                while self._asked and len(group) < MOST_TOGETHER:
                    group.append(self._next())
                    outcomes.append(await self._outcome(group[-1].piece, work, courtesy))
                    await courtesy.let_others_in()
        except Exception as error:  # noqa: BLE001 - whoever waits hears of it
            if not group or is_database_away(error):  # it could not even begin, or cannot again
                group += [self._next() for _ in range(len(self._asked))]
                outcomes = [error] * len(group)
            else:
                outcomes = await self._do_apart(group, error)
        for asked, outcome in zip(group, outcomes, strict=True):
            asked.settle(outcome)

    async def _do_apart(self, group: Sequence[_Asked], error: Exception) -> list[Any]:
        """The outcomes of pieces that were undone together as one of them failed."""
        outcomes: list[Any] = [error] * len(group)
        if len(group) == 1:
            return outcomes
        for number, asked in enumerate(group):
            try:
                async with transaction_beside(self._database, self._in_thread) as work:
                    outcomes[number] = await self._outcome(asked.piece, work, Yielding())
            except Exception as failed:  # noqa: BLE001
                outcomes[number] = failed
        return outcomes

    async def _outcome(self, piece: Piece, work: UnitOfWork, courtesy: Yielding) -> Any:
        outcome = piece(work)
        if not isinstance(outcome, Generator):
            return outcome
        is_over, is_long = False, False
        while not is_over:
            step = partial(_next_step, outcome)
            is_over, is_long, result = await self._in_thread(step) if is_long else step()
            await courtesy.let_others_in()
        return result


def _next_step(steps: Steps) -> tuple[bool, bool, Any]:
    """Do a step; whether it was the last, whether the next may take long, and the outcome."""
    try:
        return False, next(steps), None
    except StopIteration as ended:
        return True, False, ended.value


def _run_bulk(bulk: Bulk, items: Sequence[Any], work: UnitOfWork) -> None:
    bulk(work, items)
