"""Claims due timers and runs their handlers.

One transaction stores what a handler changed and settles the timer, so the work is done once.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import structlog

from pbm.clock import Clock
from pbm.commands.turn import Turn
from pbm.mail.site import Site
from pbm.service.health.figures import schedule_backups
from pbm.service.health.results import CheckResult
from pbm.service.running.heartbeat import ClockWatch
from pbm.service.running.rounds import Alive, rounds, until
from pbm.service.running.writer import Claims, InThread, Writer
from pbm.service.ticks import deadlines, expiry, health, news, watching
from pbm.service.ticks.tick import Tick
from pbm.service.trouble.failures import GIVEN_UP_FOR, CrashMarker, faults_to
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.service.trouble.notices import tell_of_trouble
from pbm.slow_work import SlowWork, WorkNeeded
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.queues import Timer, TimerKind

MOST_TRIES = 3
_DIED = "the server died while it did this"
_log = structlog.get_logger("pbm.ticks")

# Handlers are idempotent. A handler returns when its timer must run again; if the timer is done, it
# returns text for the log.
HANDLERS: Mapping[str, Callable[[Tick], str | datetime]] = {
    TimerKind.FIRST_MOVE_REMINDER: deadlines.watch_first_move,
    TimerKind.FIRST_MOVE_DECLINE: deadlines.watch_first_move,
    TimerKind.QUESTION_LAPSE: expiry.lapse_question,
    TimerKind.DAILY_ERASURE: expiry.erase_old_rows,
    TimerKind.CLOCK: deadlines.watch_clock,
    TimerKind.RATINGS: expiry.recount_ratings,
    TimerKind.VACATION: news.tell_vacation_begun,
    TimerKind.VACATION_OVER: news.tell_vacation_ended_early,
    TimerKind.SEEK_LAPSE: expiry.lapse_seek,
    TimerKind.RECORD_LAPSE: expiry.lapse_record,
    TimerKind.DIGEST: news.send_digest,
    TimerKind.KEPT_NEWS: news.tell_kept_news,
    TimerKind.ACCOUNT_NEWS: news.tell_reachability,
    TimerKind.NEW_DATES: deadlines.tell_dates,
    TimerKind.CLAIMS: news.tell_claims,
    TimerKind.WATCHERS: watching.tell_watchers,
    TimerKind.WATCHER: watching.tell_watcher,
    TimerKind.BROADCAST: news.send_broadcast,
    TimerKind.RESTORED: news.tell_of_restore,
    TimerKind.HEALTH: health.look_after_health,
}
RECURRING = (TimerKind.DAILY_ERASURE,)  # set at the start


@dataclass
class Ticks:
    database: Database
    site: Site
    clock: Clock
    crash_marker: CrashMarker = field(default_factory=CrashMarker)
    look_at_machine: Callable[[], list[CheckResult]] | None = None  # without it none looks around
    backs_up: bool = False

    def __post_init__(self) -> None:
        self.claims = Claims[Timer](self.database)
        self._needed: Callable[[], None] | None = None  # what a timer needs before it runs again
        self._slow: dict[int, SlowWork] = {}  # of that timer

    def begin(self) -> None:
        """Set recurring timers, and retry stuck and interrupted ones, when the process starts."""
        now = self.clock()
        with self.database.transaction() as work:
            for kind in (*RECURRING, *([TimerKind.HEALTH] if self.look_at_machine else [])):
                work.timers.set(kind, "", now, now)
            work.timers.retry_stuck()
            schedule_backups(work, self.backs_up, now)
            for number in self.crash_marker.left_over():
                timer = work.timers.find(number)
                if timer is not None:
                    self._count(work, timer, _DIED)
        self.crash_marker.clear()

    def next_due_at(self) -> datetime | None:
        with self.database.glance() as work:
            return work.timers.next_due_at()

    async def take(self, writer: Writer, in_thread: InThread, most: int) -> bool:
        """Run up to `most` timers, then the slow work that the last one needs before it runs again.

        Returns whether any was due. Raises DBAPIError.
        """
        done = any(await asyncio.gather(*(writer.do(self.take_next) for _ in range(most))))
        if self._needed:
            await in_thread(self._needed)
            self._needed = None
        return done

    def take_next(self, work: UnitOfWork) -> bool:
        """Run the next due timer; return whether others may be due. Raises DBAPIError."""
        if self.claims.are_late(work):
            return True
        timer = None if self._needed else self.claims.next(work, self._claim)
        if timer is None:
            return False
        fail, defer = partial(self._fail, work, timer), partial(self._defer, work, timer)
        with faults_to(fail, given_up=defer), self.crash_marker.holding(timer.id):
            slow = self._slow.pop(timer.id, None) or SlowWork()
            try:
                self._do(work, timer, slow)
            except WorkNeeded as needed:
                self._needed, self._slow = needed.do, {timer.id: slow}
        return True

    def _claim(self, work: UnitOfWork) -> Sequence[Timer]:
        return work.timers.claim(self.clock(), self.claims.most)

    def _do(self, work: UnitOfWork, timer: Timer, slow: SlowWork) -> None:
        now = self.clock()
        with work.savepoint():
            tick = Tick(
                work=work,
                site=self.site,
                now=now,
                timer=timer,
                slow=slow,
                look_at_machine=self.look_at_machine or list,
            )
            outcome = HANDLERS[timer.kind](tick)
            if isinstance(outcome, datetime):
                work.timers.put_off(timer, now, outcome)
            else:
                work.timers.done(timer)
            work.flush()  # so that the savepoint undoes failed writes
        if not isinstance(outcome, datetime):
            _log.info("timer done", timer=timer.id, kind=timer.kind, outcome=outcome)

    def _defer(self, work: UnitOfWork, timer: Timer, error: Exception) -> None:
        _log.warning("database gave up a timer, it waits", timer=timer.id, error=in_a_line(error))
        work.timers.put_off(timer, self.clock(), self.clock() + GIVEN_UP_FOR)

    def _fail(self, work: UnitOfWork, timer: Timer, error: Exception) -> None:
        trace = traceback_of(error)
        _log.error("timer failed", timer=timer.id, kind=timer.kind, exception=trace)
        self._count(work, timer, in_a_line(error))

    def _count(self, work: UnitOfWork, timer: Timer, error: str) -> None:
        if work.timers.count_try(timer, error).tries < MOST_TRIES:
            return
        work.timers.set_stuck(timer)
        params = {"number": timer.id, "kind": timer.kind, "board": timer.board_id, "error": error}
        turn = Turn(work=work, site=self.site, now=self.clock())
        tell_of_trouble(turn, "stuck-timer", params, f"{timer.kind} {error}")


async def keep_time(
    ticks: Ticks, in_thread: InThread, writer: Writer, timer_set: asyncio.Event, alive: Alive
) -> None:
    """Run timers when they are due, for ever. New timers set `timer_set`."""
    watch = ClockWatch(ticks.clock)

    async def a_round() -> float | None:
        await watch.mend(writer, lambda work, now: work.timers.bring_forward(now))
        due_at = await in_thread(ticks.next_due_at)
        is_due = due_at is not None and due_at <= ticks.clock()
        done = is_due and await ticks.take(writer, in_thread, ticks.claims.most)
        return None if done else until(due_at, ticks.clock)

    await rounds(a_round, timer_set, alive, "what is due waits")
