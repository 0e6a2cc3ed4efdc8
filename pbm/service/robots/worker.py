"""The loop of the role robots: leases jobs while worker processes are free, and finishes them."""

import asyncio
from dataclasses import dataclass, field
from functools import partial

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.service.loops import DATABASE_PAUSE, Alive, rounds, until
from pbm.service.robots.jobs import LEASE, LeasedJob, RobotJobs
from pbm.service.robots.worker_processes import SearchFailedError, WorkerProcesses
from pbm.service.running.heartbeat import ClockWatch
from pbm.service.running.writer import InThread, Writer

EXTEND_EVERY = LEASE.total_seconds() / 3
_log = structlog.get_logger("pbm.robots")


@dataclass
class RobotWorker:
    """Computes leased jobs, each in a worker process; the event `asked` wakes its loop."""

    jobs: RobotJobs
    processes: WorkerProcesses
    writer: Writer
    look_in_thread: InThread
    asked: asyncio.Event
    _under_way: dict[int, bool] = field(default_factory=dict, init=False)  # job: whether it is long
    # Only one transaction at a time may lock boards: two could deadlock with another process.
    _locking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def run(self, alive: Alive) -> None:
        """Run for ever; when cancelled, release the leases. `alive` is called on each round."""
        watch = ClockWatch(self.jobs.clock)

        async def a_round() -> float | None:
            await watch.mend(self.writer, self.jobs.bring_forward)
            due_at, leased = None, list[LeasedJob]()
            if free := self.processes.size - len(self._under_way):
                due_at = await self.look_in_thread(self.jobs.next_due_at)
            if due_at is not None and due_at <= self.jobs.clock():
                async with self._locking:
                    # One process is left to short searches, if there are several.
                    long = max(1, self.processes.size - 1) - sum(self._under_way.values())
                    claim = partial(self.jobs.claim, most=free, long=long)
                    leased = await self.writer.do(claim)
            for each in leased:
                self._under_way[each.job.id] = each.job.is_long
                apart.create_task(self._compute(each))
            return None if leased else until(due_at, self.jobs.clock)

        try:
            async with asyncio.TaskGroup() as apart:
                apart.create_task(self._extend_leases())
                await rounds(a_round, self.asked, alive, "robots wait")
        finally:
            try:
                await self.writer.do(self.jobs.release)
            except DBAPIError as error:
                trouble = str(error.orig)
                _log.warning("database away, leases run out by themselves", error=trouble)

    async def _compute(self, leased: LeasedJob) -> None:
        """Compute a job, then finish it; retry that while the database is down."""
        piece, is_done = partial(self.jobs.finish, leased=leased), False
        if leased.computation is not None:
            try:
                piece = partial(piece, result=await self.processes.run(leased.computation))
            except SearchFailedError as error:
                piece = partial(self.jobs.fail, leased=leased, error=error)
        while not is_done:
            try:
                async with self._locking:
                    await self.writer.do(piece)
                is_done = True
            except DBAPIError as error:
                _log.warning("database away, a search job waits", error=str(error.orig))
                await asyncio.sleep(DATABASE_PAUSE)
        del self._under_way[leased.job.id]
        self.asked.set()

    async def _extend_leases(self) -> None:
        """Extend the leases of the jobs under way for ever."""
        while True:
            await asyncio.sleep(EXTEND_EVERY)
            extend = partial(self.jobs.extend, numbers=frozenset(self._under_way))
            try:
                if self._under_way:
                    await self.writer.do(extend)
            except DBAPIError as error:
                _log.warning("database away, no sign given", error=str(error.orig))
