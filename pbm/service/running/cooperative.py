"""Cooperation on the event loop: work in steps, between which other tasks run."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Protocol, TypeVar

LONGEST = 0.005  # seconds; Python's own switch interval of threads


class Yielding:
    """Yields to the event loop between steps, if it is time.

    Yielding after every step would cost as much as a short step itself.
    """

    def __init__(self) -> None:
        self._since = time.monotonic()

    async def let_others_in(self) -> None:
        """Yield to the event loop, if work has gone on for long enough."""
        if time.monotonic() - self._since > LONGEST:
            await asyncio.sleep(0)
            self._since = time.monotonic()


T = TypeVar("T")
Steps = Generator[bool, None, T]
"""Work in steps, between which others run: it yields before each, True if that may take long."""


class InThread(Protocol):
    """Runs work in a thread, one call at a time."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """Return the work's result."""


def at_once(steps: Steps[T]) -> T:
    """Run all steps at once; return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            outcome: T = ended.value
            return outcome


async def between_others(steps: Steps[None], in_thread: InThread) -> None:
    """Run the short steps on the event loop and the long ones in a thread."""
    yielding = Yielding()
    next_step = partial(next, steps, None)
    is_long: bool | None = False
    try:
        while is_long is not None:
            is_long = await in_thread(next_step) if is_long else next_step()
            await yielding.let_others_in()
    finally:
        steps.close()  # rolls back, if no thread could be had
