"""How far a long task is. Whoever has it done may watch; else nobody hears of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

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
