"""Watches turns and the work for them: logs slow ones, and ends the process if one hangs.

A hanging thread cannot be stopped, so the process ends and its supervisor restarts it. The next
start finds the mail in `CrashMarker` and counts one of its tries.
"""

import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from traceback import StackSummary, walk_stack

import structlog

from pbm.store.values.mails import incoming

SLOW = 1.0  # seconds until a turn is logged
DEADLINE = 30.0  # seconds until a turn counts as hanging
LOOK_EVERY = 0.5  # seconds
TIMER = 30.0  # seconds without a look until SIGALRM
_DEEPEST = 30  # frames in the log, the innermost first
HUNG = 70  # the process's exit status; EX_SOFTWARE in sysexits.h
_log = structlog.get_logger("pbm.watchdog")


@dataclass(eq=False)
class _Turn:
    """A turn, or work for one."""

    mail_id: int
    thread: int
    since: float
    told: bool = False


class Watchdog:
    """A thread that looks at the turns under way.

    It cannot run while other code holds the GIL, as a regular expression does. So each look also
    resets a kernel timer. If that expires, the process prints its stacks and dies of SIGALRM.
    """

    def __init__(
        self,
        end: Callable[[int], object] = os._exit,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """`end` ends the process with a status; `seconds` is a monotonic clock."""
        self._end = end
        self._seconds = seconds
        self._turns: tuple[_Turn, ...] = ()
        self._changing = threading.Lock()  # of the turns together with the timer
        self._stopped = threading.Event()
        self._is_looking = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Watch while the context is open; in the main thread only."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # whatever was inherited
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        faulthandler.register(signal.SIGALRM, chain=True)
        self._is_looking = True
        thread = threading.Thread(target=self._look_again, name="pbm-watchdog", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            thread.join()
            with self._changing:
                self._is_looking = False
                _wind_up(0)
            faulthandler.unregister(signal.SIGALRM)

    @contextmanager
    def watching(self, mail_id: int) -> Iterator[None]:
        """Watch a turn, or work for one, in this thread."""
        turn = _Turn(mail_id, threading.get_ident(), self._seconds())
        self._set(lambda turns: (*turns, turn))
        try:
            yield
        finally:
            self._set(lambda turns: tuple(other for other in turns if other is not turn))

    def look(self) -> None:
        """Look at all turns under way once."""
        with self._changing:
            turns = self._turns
            if turns and self._is_looking:
                _wind_up(TIMER)
        for turn in turns:
            self._look_at(turn)

    def _look_at(self, turn: _Turn) -> None:
        seconds = self._seconds() - turn.since
        if seconds < SLOW:
            return
        frame, stack, is_elsewhere = (
            sys._current_frames().get(turn.thread),
            "in no Python code",
            False,
        )
        if frame is not None:
            places = StackSummary.extract(walk_stack(frame), limit=_DEEPEST, lookup_lines=False)
            stack = " < ".join(f"{at.filename}:{at.lineno} {at.name}" for at in places)
            # A thread that waits for a remote database: that is not the mail's fault.
            names = [str(at.f_globals.get("__name__")) for at, _ in walk_stack(frame)]
            is_elsewhere = any(name.startswith("psycopg.") for name in names)
        told = {"mail": incoming(turn.mail_id), "seconds": round(seconds, 1), "stack": stack}
        if not turn.told:
            turn.told = True
            _log.warning("turn takes long", **told)
        if seconds >= DEADLINE and turn in self._turns and not is_elsewhere:
            try:
                _log.error("turn hangs, so the server ends", **told)
            finally:
                self._end(HUNG)

    def _look_again(self) -> None:
        while not self._stopped.wait(LOOK_EVERY):
            with suppress(Exception):  # of a log that cannot be written
                self.look()

    def _set(self, changed: Callable[[tuple[_Turn, ...]], tuple[_Turn, ...]]) -> None:
        with self._changing:
            self._turns = changed(self._turns)
            if self._is_looking:
                _wind_up(TIMER if self._turns else 0)


def _wind_up(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)
