"""What keeps the event loop free: work in steps with other tasks between, and named threads."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
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


class Threads:
    """Threads by name, each started at its first use."""

    def __init__(self) -> None:
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def one(self, name: str) -> InThread:
        """Return a function that runs work in the thread of this name, one call at a time."""
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(1, f"pbm-{name}")
        pool = self._pools[name]

        async def in_thread(work: Callable[[], T]) -> T:
            return await asyncio.get_running_loop().run_in_executor(pool, work)

        return in_thread

    def close(self) -> None:
        """Wait for running work, then end the threads."""
        for pool in self._pools.values():
            pool.shutdown()


async def here(work: Callable[[], T]) -> T:
    """Run the work at once: an embedded database answers faster than a thread wakes."""
    return work()
