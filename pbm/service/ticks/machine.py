"""The ticks: take what is due, and do it as a turn obeys a mail.

Everything that doing one brings about is one transaction with the row's end. So one that a process
died with is still due, and one that is done comes no second time.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from pbm.clock import Clock
from pbm.mail.site import Site
from pbm.play.turn import Turn
from pbm.service.running.steps import Steps
from pbm.service.ticks.registry import ALWAYS, TIMERS
from pbm.service.ticks.tick import Again, Tick
from pbm.service.trouble.crash_marker import CrashMarker
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.service.trouble.notices import GIVEN_UP_FOR, tell_of_trouble
from pbm.store.db import Database, UnitOfWork, gave_up, is_away
from pbm.store.values.timers import Timer

MOST_TRIES = 3
SLICE = 0.02  # seconds of ticks in one transaction; with the last one of them less than 0.05
_DIED = "the server died while it did this"
_log = structlog.get_logger("pbm.ticks")


@dataclass
class Ticks:
    """What is due, done in the order of its moments."""

    database: Database
    site: Site
    clock: Clock
    crash_marker: CrashMarker | None = None
    seconds: Callable[[], float] = time.monotonic

    def begin(self) -> None:
        """Set what comes again and again, let what is stuck be tried again, and count a try for
        what a process died with."""
        now = self.clock()
        with self.database.transaction() as work:
            for kind in ALWAYS:
                work.timers.set(kind, "", now, now)
            work.timers.retry_stuck()
            for number in self.crash_marker.left_over() if self.crash_marker else ():
                timer = work.timers.find(number)
                if timer is not None:
                    self._count(work, timer, _DIED)
        if self.crash_marker:
            self.crash_marker.clear()

    def close(self) -> None:
        """Let another process remember in this one's place."""
        if self.crash_marker:
            self.crash_marker.close()

    def next_due_at(self) -> datetime | None:
        """When something is due next: one look into an index. Raises DBAPIError."""
        with self.database.glance() as work:
            return work.timers.next_due_at()

    def take_some(self, work: UnitOfWork, most: int) -> Steps[int]:
        """Do what is due, each a step; the outcome is how many that were.

        It stops after `SLICE` seconds, since turns wait for it, and after one for which all
        others wait; what is left is claimed anew. One
        that fails is undone alone, tried three times and then put aside, so that it stops nothing
        else. Raises DBAPIError while the database is away: that is no try, and neither is what
        the database gives up.
        """
        began, done = self.seconds(), 0
        for timer in work.timers.claim(self.clock(), most):
            if done and (work.holds_all_up or self.seconds() - began > SLICE):
                break
            yield False
            self._take(work, timer)
            done += 1
        return done

    def bring_forward(self, work: UnitOfWork) -> None:
        """Mend what a clock that was set back meanwhile has put off for too long."""
        work.timers.bring_forward(self.clock())

    def _take(self, work: UnitOfWork, timer: Timer) -> None:
        try:
            if self.crash_marker is None:
                self._do(work, timer)
            else:
                with self.crash_marker.holding(timer.id):
                    self._do(work, timer)
        except Exception as error:
            if gave_up(error):
                self._let_wait(work, timer, in_a_line(error))
                return
            if is_away(error):
                raise
            trouble = traceback_of(error)
            _log.error("timer failed", timer=timer.id, kind=timer.kind, exception=trouble)
            self._count(work, timer, in_a_line(error))

    def _do(self, work: UnitOfWork, timer: Timer) -> None:
        now = self.clock()
        with work.savepoint():
            tick = Tick(work=work, site=self.site, now=now, timer=timer)
            outcome = TIMERS[timer.kind](tick)
            if isinstance(outcome, Again):
                work.timers.put_off(timer, now, outcome.at)
            else:
                work.timers.done(timer)
            work.flush()  # what cannot be written is undone with the rest of it
        if not isinstance(outcome, Again):
            _log.info("timer done", timer=timer.id, kind=timer.kind, outcome=outcome.told)

    def _let_wait(self, work: UnitOfWork, timer: Timer, error: str) -> None:
        """Let others come first, without counting a try, when the database gave one up."""
        _log.warning("database gave up a timer, it waits", timer=timer.id, error=error)
        now = self.clock()
        work.timers.put_off(timer, now, now + GIVEN_UP_FOR)

    def _count(self, work: UnitOfWork, timer: Timer, error: str) -> None:
        if work.timers.count_try(timer, error) < MOST_TRIES:
            return
        work.timers.set_stuck(timer)
        params = {"kind": timer.kind, "board": timer.board_id, "error": error}
        turn = Turn(work=work, site=self.site, now=self.clock())
        cause = f"{timer.kind} {error}"
        tell_of_trouble(turn, "stuck-timer", f"timer {timer.id} is stuck", params, cause)
