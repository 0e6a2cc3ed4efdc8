"""Failed tries, the crash marker, and the watchdog.

The watchdog logs slow mails. If a mail hangs, it ends the process, as a thread cannot be stopped.
The supervisor restarts the process, which finds the mail in the crash marker and counts a try.
"""

import faulthandler
import fcntl
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from traceback import StackSummary, walk_stack
from typing import IO

import structlog

from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.store.sql.driver import gave_up, is_away
from pbm.store.values.mails import named

SLOW = 1.0  # seconds until a turn is logged
DEADLINE = 30.0  # seconds until a turn counts as hanging
LOOK_EVERY = 0.5  # seconds
TIMER = 30.0  # seconds without a check by the watchdog's thread until SIGALRM
_DEEPEST = 30  # frames in the log, the innermost first
HUNG = 70  # the process's exit status; EX_SOFTWARE in sysexits.h
_watch_log = structlog.get_logger("pbm.watchdog")
_log = structlog.get_logger("pbm.trouble")
_WIDTH = 100  # characters of the file; padding overwrites a longer earlier list
GIVEN_UP_FOR = timedelta(seconds=10)  # retry pause after a deadlock or timeout of the database
Handler = Callable[[Exception], object]


class CrashMarker:
    """A file with the numbers of the mails, or of the timers, that are being handled.

    If a process dies, the next one counts a failed try for each number in its file.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Create and lock the file. Without a path, record nothing. Raises OperatorError."""
        self._file = _first_free(path) if path else None
        self._numbers: list[int] = []
        self._changing = threading.Lock()

    @contextmanager
    def holding(self, inbox_id: int) -> Iterator[None]:
        """Record the number of a row while the context is open; thread-safe."""
        try:
            with self._changing:
                self._numbers.append(inbox_id)
                self._write()
            yield
        finally:
            with self._changing:
                self._numbers.remove(inbox_id)
                self._write()

    def left_over(self) -> tuple[int, ...]:
        """Return the numbers of the rows that an earlier process was handling when it died."""
        if self._file is None:
            return ()
        self._file.seek(0)
        return tuple(int(word) for word in self._file.read().split() if word.isdigit())

    def clear(self) -> None:
        with self._changing:
            self._write()

    def close(self) -> None:
        if self._file:
            self._file.close()

    def _write(self) -> None:
        if self._file is None:
            return
        text = " ".join(map(str, self._numbers))
        try:
            os.pwrite(self._file.fileno(), text.ljust(_WIDTH).encode("ascii"), 0)
        except OSError as error:  # the turn goes on: at worst, a crash cannot be blamed on a row
            _log.error("crash marker not written", file=self._file.name, error=str(error))


def _first_free(path: Path) -> IO[str]:
    """Lock the first of `path`, `path`-2, ... that no process has locked. Raises OperatorError."""
    name, number = path, 1
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            file = os.fdopen(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return file
            file.close()
            number += 1
            name = path.with_name(f"{path.name}-{number}")
    except OSError as error:
        raise OperatorError(f"{path} cannot be made: {trouble(path, error)}") from error


@contextmanager
def faults_to(count: Handler, *, given_up: Handler | None = None) -> Iterator[None]:
    """Pass an error in the context to `count`, or raise it if the database is unreachable.

    Errors because of a database deadlock or timeout are passed to `given_up`, if that is set.
    """
    try:
        yield
    except Exception as error:
        if given_up and gave_up(error):
            given_up(error)
        elif is_away(error):
            raise
        else:
            count(error)


@dataclass(eq=False)
class _Turn:
    """What the watchdog watches: a thread that handles a mail, or does slow work for a mail."""

    mail_id: int
    thread: int
    since: float
    told: bool = False


class Watchdog:
    """A thread that checks how long the mails being handled take.

    If other code holds the GIL for too long, a kernel timer ends the process by SIGALRM.
    """

    def __init__(
        self, end: Callable[[int], object] = os._exit, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._end = end
        self._seconds = seconds
        self._turns: tuple[_Turn, ...] = ()
        self._changing = threading.Lock()  # for the turns and the timer
        self._stopped = threading.Event()
        self._is_looking = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the watchdog while the context is open. Call this in the main thread."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the parent may have blocked it
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
        """Watch the handling of a mail, or its slow work, in this thread."""
        turn = _Turn(mail_id, threading.get_ident(), self._seconds())
        self._set(lambda turns: (*turns, turn))
        try:
            yield
        finally:
            self._set(lambda turns: tuple(other for other in turns if other is not turn))

    def look(self) -> None:
        """Check each mail being handled: log a slow mail, end the process if a mail hangs."""
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
        frame = sys._current_frames().get(turn.thread)
        stack, is_elsewhere = "in no Python code", False
        if frame is not None:
            places = StackSummary.extract(walk_stack(frame), limit=_DEEPEST, lookup_lines=False)
            stack = " < ".join(f"{at.filename}:{at.lineno} {at.name}" for at in places)
            # The mail is not to blame if the thread waits for PostgreSQL.
            names = [str(at.f_globals.get("__name__")) for at, _ in walk_stack(frame)]
            is_elsewhere = any(name.startswith("psycopg.") for name in names)
        told = named(turn.mail_id, seconds=round(seconds, 1), stack=stack)
        if not turn.told:
            turn.told = True
            _watch_log.warning("turn takes long", **told)
        if seconds >= DEADLINE and turn in self._turns and not is_elsewhere:
            try:
                _watch_log.error("turn hangs, so the server ends", **told)
            finally:
                self._end(HUNG)

    def _look_again(self) -> None:
        while not self._stopped.wait(LOOK_EVERY):
            with suppress(Exception):  # the log may not be writable
                self.look()

    def _set(self, changed: Callable[[tuple[_Turn, ...]], tuple[_Turn, ...]]) -> None:
        with self._changing:
            self._turns = changed(self._turns)
            if self._is_looking:
                _wind_up(TIMER if self._turns else 0)


def _wind_up(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)
