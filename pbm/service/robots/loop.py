"""The role robots as a loop: it leases thoughts as minds are free, and concludes them."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.service.robots.machine import LEASE, Robots, Task
from pbm.service.robots.minds import Minds, ThinkingFailedError
from pbm.service.running.clock_watch import ClockWatch
from pbm.service.running.loops import DATABASE_PAUSE, Alive, until, woken
from pbm.service.running.steps import InThread
from pbm.service.running.writer import Piece, Writer

SIGN_EVERY = LEASE.total_seconds() / 3  # by who thinks
_log = structlog.get_logger("pbm.robots")


@dataclass
class Thinkers:
    """Thoughts under way, each in a process of its own.

    `asked` wakes the loop; `mail_written` is set once something was concluded.
    """

    robots: Robots
    minds: Minds
    writer: Writer
    look_in_thread: InThread
    asked: asyncio.Event
    mail_written: asyncio.Event
    _under_way: set[int] = field(default_factory=set, init=False)  # by their numbers
    # One piece in a transaction that locks boards: two could wait for those of another process.
    _locking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def run(self, alive: Alive) -> None:
        """Think for ever; what is under way when this is cancelled is left to others.

        `alive` is called whenever the loop goes on.
        """
        watch = ClockWatch(self.robots.clock)
        try:
            async with asyncio.TaskGroup() as apart:
                apart.create_task(self._give_signs())
                while True:
                    alive()
                    self.asked.clear()
                    try:
                        await watch.mend(self.writer, self.robots.bring_forward)
                        due_at = await self._next_due_at()
                        is_due = due_at is not None and due_at <= self.robots.clock()
                        tasks = await self._claim() if is_due else ()
                    except DBAPIError as error:
                        _log.warning("database away, robots wait", error=str(error.orig))
                        await asyncio.sleep(DATABASE_PAUSE)
                        continue
                    for task in tasks:
                        self._under_way.add(task.thought.id)
                        apart.create_task(self._think_about(task))
                    if not tasks:
                        await woken(self.asked, until(due_at, self.robots.clock))
        finally:
            await self._leave()

    @property
    def _room(self) -> int:
        """How many more can be thought about now."""
        return self.minds.size - len(self._under_way)

    async def _next_due_at(self) -> datetime | None:
        """When something can be thought about next; None while there is no room for it."""
        return await self.look_in_thread(self.robots.next_due_at) if self._room else None

    async def _claim(self) -> list[Task]:
        async with self._locking:
            return await self.writer.do(partial(self.robots.claim, most=self._room))

    async def _think_about(self, task: Task) -> None:
        """Think, and conclude that, as soon as the database is there."""
        piece, is_over = await self._outcome(task), False
        while not is_over:
            try:
                async with self._locking:
                    await self.writer.do(piece)
                is_over = True
            except DBAPIError as error:
                _log.warning("database away, a thought waits", error=str(error.orig))
                await asyncio.sleep(DATABASE_PAUSE)
        self._under_way.discard(task.thought.id)
        self.mail_written.set()
        self.asked.set()

    async def _outcome(self, task: Task) -> Piece[None]:
        """Think, and return what is to be done then."""
        if task.question is None:
            return partial(self.robots.resort, task=task)
        try:
            answer = await self.minds.think(task.question)
        except ThinkingFailedError as error:
            return partial(self.robots.fail, task=task, error=error)
        return partial(self.robots.conclude, task=task, answer=answer)

    async def _give_signs(self) -> None:
        """Keep what is thought about from being claimed by others."""
        while True:
            await asyncio.sleep(SIGN_EVERY)
            extend = partial(self.robots.extend, numbers=frozenset(self._under_way))
            try:
                if self._under_way:
                    await self.writer.do(extend)
            except DBAPIError as error:
                _log.warning("database away, no sign given", error=str(error.orig))

    async def _leave(self) -> None:
        """Let others think about what was under way."""
        try:
            await self.writer.do(self.robots.give_back)
        except DBAPIError as error:
            _log.warning("database away, leases run out by themselves", error=str(error.orig))
