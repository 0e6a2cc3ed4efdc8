"""How far a long task is. Whoever has it done may watch; else nobody hears of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, TypeVar

V = TypeVar("V")
Watch = Callable[[str, int, int | None], None]  # what is done, how much of it, and of how much
_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched_by(watch: Watch) -> Iterator[None]:
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def progress(what: str, done: int = 0, total: int | None = None) -> None:
    """Tell how far a task is; without `total` nobody knows how long it takes."""
    if watch := _WATCH.get():
        watch(what, done, total)


def counted(items: Sequence[V], what: str) -> Iterator[V]:
    """Yield the items, and tell how many of them are done."""
    for done, item in enumerate(items):
        progress(what, done, len(items))
        yield item
    progress(what, len(items), len(items))


class CountedReader:
    """A file to be read, which tells how much of it was read."""

    def __init__(self, file: IO[bytes], size: int, what: str) -> None:
        self._file, self._size, self._what, self._done = file, size, what, 0

    def read(self, size: int = -1) -> bytes:
        found = self._file.read(size)
        self._done += len(found)
        progress(self._what, self._done, self._size)
        return found
