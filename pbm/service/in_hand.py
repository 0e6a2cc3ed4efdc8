"""Remembers, over a process's death, which mail was being obeyed."""

import fcntl
import itertools
import os
from pathlib import Path
from typing import IO

_WIDTH = 20  # characters, so that a shorter number leaves nothing of a longer one


class InHand:
    """A small file that names the mail of the turn under way.

    Of several processes in one folder each has a file of its own: the first that no other
    process holds, and so one that a dead process has left. It is not synced: what a process
    has written outlives its being killed, and after a power cut nobody suspects the mail.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = _first_free(path)

    def take(self, inbox_id: int) -> None:
        """A turn for this mail begins."""
        self._write(str(inbox_id))

    def clear(self) -> None:
        """No turn is under way."""
        self._write("")

    def left_over(self) -> int | None:
        """The mail whose turn an earlier process began and did not end."""
        self._file.seek(0)
        try:
            return int(self._file.read())
        except ValueError:
            return None

    def close(self) -> None:
        """Leave the file to another process."""
        self._file.close()

    def _write(self, text: str) -> None:
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
