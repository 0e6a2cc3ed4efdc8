"""Files that the operator names: only real ones are read, and no more of them than makes sense."""

import os
import stat
from io import BufferedReader
from pathlib import Path

from pbm.errors import OperatorError


def open_file(path: Path) -> BufferedReader:
    """Open a file, and wait for nobody who would write into it.

    Raises OSError, and OperatorError for what is there but no file, such as a folder or a pipe.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OperatorError(f"{path} is no file.")
    return open(descriptor, "rb")


def read_file(path: Path, most: int) -> bytes:
    """Read a file of so many bytes at most.

    Raises OSError, and OperatorError for what is no file or larger.
    """
    with open_file(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OperatorError(f"{path} is larger than {most // 1024} KB, which it should not be.")
    return content
