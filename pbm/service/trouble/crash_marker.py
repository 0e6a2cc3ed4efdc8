"""Remembers, over a process's death, which mails were being obeyed."""

import fcntl
import itertools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pbm.errors import OperatorError
from pbm.files import trouble

_WIDTH = 100  # characters, so that fewer numbers leave nothing of more


class CrashMarker:
    """A small file that names the mails of the turns under way, and of what is done for turns.

    Of several processes in one folder each has a file of its own: the first that no other
    process holds, and so one that a dead process has left. It is not synced: what a process
    has written outlives its being killed, and after a power cut nobody suspects the mail.
    """

    def __init__(self, path: Path) -> None:
        """Raises OperatorError where the file cannot be made."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _first_free(path)
        except OSError as error:
            raise OperatorError(f"{path} cannot be made: {trouble(path, error)}") from error
        self._numbers: list[int] = []
        self._changing = threading.Lock()

    @contextmanager
    def holding(self, inbox_id: int) -> Iterator[None]:
        """Something is done for this mail, in any thread, as long as this is open."""
        with self._changing:
            self._numbers.append(inbox_id)
            self._write()
        try:
            yield
        finally:
            with self._changing:
                self._numbers.remove(inbox_id)
                self._write()

    def left_over(self) -> tuple[int, ...]:
        """The mails that an earlier process had in hand when it died."""
        self._file.seek(0)
        return tuple(int(word) for word in self._file.read().split() if word.isdigit())

    def clear(self) -> None:
        """Forget what is left over."""
        with self._changing:
            self._write()

    def close(self) -> None:
        """Leave the file to another process."""
        self._file.close()

    def _write(self) -> None:
        text = " ".join(map(str, self._numbers))
        os.pwrite(self._file.fileno(), text.ljust(_WIDTH).encode("ascii"), 0)


def _first_free(path: Path) -> IO[str]:
    for number in itertools.count(1):
        name = path if number == 1 else path.with_name(f"{path.name}-{number}")
        file = os.fdopen(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            continue
        return file
    raise AssertionError("itertools.count never ends")
