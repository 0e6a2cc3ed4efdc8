"""Reads regular files up to a size limit, and writes files that survive a crash."""

import errno
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from pbm.errors import OperatorError


def open_file(path: Path) -> BufferedReader:
    """Open a regular file without blocking. Raises OSError, and OperatorError for other files."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OperatorError(f"{path} is no file.")
    return open(descriptor, "rb")


def read_file(path: Path, most: int) -> bytes:
    """Read a file. Raises OperatorError if it has more than `most` bytes, or OSError."""
    with open_file(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OperatorError(f"{path} is larger than {most // 1024} KB, which it should not be.")
    return content


def write_new(path: Path, content: bytes) -> None:
    """Create a file of mode 0600, synced to disk. Raises OSError, also for a file that exists."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def owner_only() -> Iterator[None]:
    """Let this process create files and folders to which other users have no access."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def existing(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


def check_access(*paths: Path) -> None:
    """Raise OperatorError for the first of these paths that this user may not read and write."""
    for path in paths:
        may_all = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
        if path.exists() and not os.access(path, may_all):
            denied = PermissionError(None, "it cannot be read and written")
            raise OperatorError(f"{path}: {trouble(path, denied)}")


def why_no_port(error: OSError) -> str:
    """Return why nobody can listen at an address."""
    is_taken = error.errno == errno.EADDRINUSE
    return "another program listens there" if is_taken else error.strerror or "no such host"


def trouble(path: Path, error: OSError) -> str:
    """Return an error message for a file. If another user owns it, the message says what to do."""
    said = f"{error.strerror or error}."
    there = next(place for place in (path, *path.absolute().parents) if _uid(place) is not None)
    if not isinstance(error, PermissionError) or _uid(there) in (os.geteuid(), None):
        return said
    owner, own = _user(_uid(there)), _user(os.geteuid())
    how = "chown -R" if there == path else "chown"
    instead = "Say" if owner == "root" else f"Run it as {owner}, or say"
    return (
        f"{said} {there} belongs to {owner}, and this runs as {own}. {instead} as root: "
        f"{how} {own} {there}"
    )


def _uid(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except OSError:
        return None


def _user(uid: int | None) -> str:
    try:
        return pwd.getpwuid(uid or 0).pw_name
    except KeyError:
        return f"user {uid}"
