"""Cooperation on the event loop: work in steps, between which others run."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Protocol, TypeVar

LONGEST = 0.005  # seconds, as long as a thread keeps Python's lock


class Yielding:
    """Asked between two steps, it lets others in if it is time for that.

    To do so after every step would cost as much as a short step itself.
    """

    def __init__(self) -> None:
        self._since = time.monotonic()

    async def let_others_in(self) -> None:
        """Let whoever waits go first, where work has gone on for long enough."""
        if time.monotonic() - self._since > LONGEST:
            await asyncio.sleep(0)
            self._since = time.monotonic()


T = TypeVar("T")
Steps = Generator[bool, None, T]
"""Work that others may come between: it yields before each step, True if that may take long."""


class InThread(Protocol):
    """Does work in a thread, one piece after another."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """Return what the work returns."""


def at_once(steps: Steps[T]) -> T:
    """Take all steps here and now; return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            outcome: T = ended.value
            return outcome


async def between_others(steps: Steps[None], in_thread: InThread) -> None:
    """Take the short steps on the event loop and the long ones in a thread."""
    yielding = Yielding()
    next_step = partial(next, steps, None)
    is_long: bool | None = False
    try:
        while is_long is not None:
            is_long = await in_thread(next_step) if is_long else next_step()
            await yielding.let_others_in()
    finally:
        steps.close()  # where no thread could be had, what was begun is undone
