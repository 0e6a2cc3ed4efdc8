"""Leases search jobs and finishes them; runs the loop of the role `robots`.

No transaction is open while a job is computed. One transaction acts on the result and deletes the
job's row, so the job is finished once. After a crash the job is leased again.
"""

import asyncio
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.commands.turn import Turn
from pbm.mail.site import Site
from pbm.play.boards import request_move
from pbm.rules.robots import ROBOTS
from pbm.service.robots.handlers import HANDLERS, RobotTurn
from pbm.service.robots.worker_processes import Computation, SearchFailedError, WorkerProcesses
from pbm.service.running.heartbeat import ClockWatch
from pbm.service.running.rounds import Alive, rounds, until, until_done
from pbm.service.running.writer import InThread, Writer
from pbm.service.trouble.failures import faults_to
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.service.trouble.notices import tell_of_trouble
from pbm.store.db import Database, UnitOfWork
from pbm.store.queues.queue import NOT_HELD
from pbm.store.values.boards import Board
from pbm.store.values.queues import SearchJob

LEASE = timedelta(seconds=30)
EXTEND_EVERY = LEASE.total_seconds() / 3
MOST_TRIES = 4  # searches, the last ones easier; then the handler gives up
_MOST_ENDINGS = 3  # tries of giving up; then the job is stuck
_MOST_CLAIMS = 10  # queries for jobs in one transaction, if the claimed ones are obsolete
_RETRY_AFTER = timedelta(seconds=1)
_DIED = "the process of the search has died"
_log = structlog.get_logger("pbm.robots")


@dataclass(frozen=True)
class LeasedJob:
    """A job leased to this process; `computation` is None if the job is to be given up."""

    job: SearchJob
    computation: Computation | None


@dataclass
class RobotJobs:
    database: Database
    site: Site
    clock: Clock
    _process: str = field(default_factory=lambda: secrets.token_hex(8), init=False)

    def begin(self) -> None:
        """Register the robots as players, retry stuck jobs, add jobs for moves that lack a job."""
        now = self.clock()
        with self.database.transaction() as work:
            enlist(work, now)
            work.search_jobs.retry_stuck()
            if self.database.embedded:
                work.search_jobs.let_lapse(now)
            for number in work.search_jobs.boards_without_job():
                request_move(work, work.boards.get(number, lock=True), now)

    def next_due_at(self) -> datetime | None:
        with self.database.glance() as work:
            return work.search_jobs.next_due_at()

    def claim(self, work: UnitOfWork, most: int, long: int | None = None) -> list[LeasedJob]:
        """Lease up to `most` jobs, but at most `long` with long searches; delete obsolete jobs."""
        long = most if long is None else long
        leased: list[LeasedJob] = []
        for _ in range(_MOST_CLAIMS):
            claimed, lapsed = work.search_jobs.claim(
                *(self.clock(), most - len(leased), self._process, self.clock() + LEASE),
                only_short=sum(each.job.is_long for each in leased) >= long,
            )
            for job in claimed:
                known = work.search_jobs.count_try(job, _DIED) if job in lapsed else job
                if known.is_long and sum(each.job.is_long for each in leased) >= long:
                    work.search_jobs.put_off(known, self.clock() + _RETRY_AFTER)
                else:
                    leased += self._prepared(work, known)
            if not claimed or len(leased) == most:
                break
        return leased

    def extend(self, work: UnitOfWork, numbers: Collection[int]) -> None:
        work.search_jobs.extend(self._process, numbers, self.clock() + LEASE)

    def release(self, work: UnitOfWork) -> None:
        work.search_jobs.give_back(self._process)

    def finish(self, work: UnitOfWork, leased: LeasedJob, result: Any = None) -> None:
        """Act on the result of a job's computation. Ignore a deleted job.

        If `leased.computation` is None, the job has been tried too often, and is given up.
        """
        with faults_to(partial(self.fail, work, leased)):
            with work.savepoint():
                # The board is locked before the job, in the same order as when a mail is handled.
                board = work.boards.get(leased.job.board_id, lock=True)
                job = work.search_jobs.find(leased.job.id, NOT_HELD)
                if job is None:  # deleted; or the server is held, and the search is repeated
                    work.search_jobs.put_off(leased.job, self.clock())
                    return
                handler, turn = HANDLERS[job.kind], self._turn(work, job, board)
                work.search_jobs.done(job)
                outcome = "nothing: nobody wants it any more"
                if turn is not None:
                    is_found = leased.computation is not None
                    outcome = handler.finish(turn, result) if is_found else handler.give_up(turn)
                work.flush()  # so that the savepoint undoes failed writes
            _log.info("search job done", job=job.id, kind=job.kind, outcome=outcome)

    def fail(self, work: UnitOfWork, leased: LeasedJob, error: Exception) -> None:
        """Count a failed try and schedule a retry; tell the operator from the second try on."""
        job = work.search_jobs.find(leased.job.id)
        if job is None:
            return
        reason = in_a_line(error)
        tries = work.search_jobs.count_try(job, reason).tries
        work.search_jobs.put_off(job, self.clock() + _RETRY_AFTER)
        trace = error.trace if isinstance(error, SearchFailedError) else traceback_of(error)
        about = {"job": job.id, "kind": job.kind, "board": job.board_id}
        _log.error("thinking failed", tries=tries, error=trace, **about)
        is_stuck = tries >= MOST_TRIES + _MOST_ENDINGS
        if is_stuck:
            work.search_jobs.set_stuck(job)
        if tries > 1:
            turn = Turn(work=work, site=self.site, now=self.clock())
            told = {"kind": job.kind, "board": job.board_id, "error": reason, "is_stuck": is_stuck}
            cause = "stuck" if is_stuck else "tried again"
            tell_of_trouble(turn, "robot-trouble", told, cause)

    def _prepared(self, work: UnitOfWork, job: SearchJob) -> Sequence[LeasedJob]:
        """Return the job with its computation; () if preparing failed or the job is obsolete."""
        with faults_to(partial(self.fail, work, LeasedJob(job, None))):
            computation, is_locked = self._computation(work, job), False
            if computation is None:
                # Without the lock, another turn could ask for this job, and lose it with the row.
                is_locked = work.boards.lock_if_free(job.board_id)
                computation = self._computation(work, job) if is_locked else None
            if computation is not None:
                return (LeasedJob(job, computation if job.tries < MOST_TRIES else None),)
            if is_locked:
                work.search_jobs.done(job)
            else:
                work.search_jobs.put_off(job, self.clock() + _RETRY_AFTER)
        return ()

    def _computation(self, work: UnitOfWork, job: SearchJob) -> Computation | None:
        board = work.boards.find(job.board_id)
        turn = self._turn(work, job, board) if board and board.is_installed else None
        return HANDLERS[job.kind].prepare(turn) if turn else None

    def _turn(self, work: UnitOfWork, job: SearchJob, board: Board) -> RobotTurn | None:
        wanted, now = HANDLERS[job.kind].wanted(work, job, board), self.clock()
        if wanted is None:
            return None
        return RobotTurn(work=work, site=self.site, now=now, job=job, board=board, wanted=wanted)


def enlist(work: UnitOfWork, now: datetime) -> None:
    """Register the robots as players, except robots whose handle another player has or had."""
    for name in ROBOTS:
        work.players.add_robot(name, now)


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
            await watch.mend(
                self.writer, lambda work, now: work.search_jobs.bring_forward(now, now + LEASE)
            )
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
        """Compute a leased job, then finish it; while the database is down, retry to finish it."""
        piece = partial(self.jobs.finish, leased=leased)
        if leased.computation is not None:
            try:
                piece = partial(piece, result=await self.processes.run(leased.computation))
            except SearchFailedError as error:
                piece = partial(self.jobs.fail, leased=leased, error=error)

        async def finish() -> None:
            async with self._locking:
                await self.writer.do(piece)

        await until_done(finish, "a search job waits")
        del self._under_way[leased.job.id]
        self.asked.set()

    async def _extend_leases(self) -> None:
        while True:
            await asyncio.sleep(EXTEND_EVERY)
            if self._under_way:
                extend = partial(self.jobs.extend, numbers=frozenset(self._under_way))
                await until_done(partial(self.writer.do, extend), "no sign is given")
