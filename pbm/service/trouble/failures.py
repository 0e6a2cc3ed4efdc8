"""Failures of the work on a row: the crash marker, and errors that count as a failed try."""

import fcntl
import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO

import structlog

from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.store.sql.driver import gave_up, is_away

_log = structlog.get_logger("pbm.trouble")
_WIDTH = 100  # characters; padding overwrites a longer earlier list
GIVEN_UP_FOR = timedelta(seconds=10)  # pause before a retry of what the database gave up
Handler = Callable[[Exception], object]


class CrashMarker:
    """A small file with the numbers of the rows under way; without a path there is none.

    Each process has its own: the first that no other has locked, so perhaps one of a dead process.
    It is not synced: after a power cut no row is suspected.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Raises OperatorError if the file cannot be made."""
        self._file = _first_free(path) if path else None
        self._numbers: list[int] = []
        self._changing = threading.Lock()

    @contextmanager
    def holding(self, inbox_id: int) -> Iterator[None]:
        """Record this row while the context is open, in any thread."""
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
        """The rows under way when an earlier process died."""
        if self._file is None:
            return ()
        self._file.seek(0)
        return tuple(int(word) for word in self._file.read().split() if word.isdigit())

    def clear(self) -> None:
        """Delete the numbers left over by a crash."""
        with self._changing:
            self._write()

    def close(self) -> None:
        """Release the file for another process."""
        if self._file:
            self._file.close()

    def _write(self) -> None:
        if self._file is None:
            return
        text = " ".join(map(str, self._numbers))
        try:
            os.pwrite(self._file.fileno(), text.ljust(_WIDTH).encode("ascii"), 0)
        except OSError as error:  # no fault of the row: at worst a crash finds nothing to suspect
            _log.error("crash marker not written", file=self._file.name, error=str(error))


def _first_free(path: Path) -> IO[str]:
    """The first of the files that no other process has locked. Raises OperatorError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            name = path if number == 1 else path.with_name(f"{path.name}-{number}")
            file = os.fdopen(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                continue
            return file
    except OSError as error:
        raise OperatorError(f"{path} cannot be made: {trouble(path, error)}") from error
    raise AssertionError("itertools.count never ends")


@contextmanager
def faults_to(count: Handler, *, given_up: Handler | None = None) -> Iterator[None]:
    """Catch an error of the work inside, and `count` it as a failed try.

    If the database is down, the error is raised; if it gave up, `given_up` is called. Neither is a
    try.
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
