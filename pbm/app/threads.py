"""Named threads for work that must not block the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pbm.service.running.cooperative import InThread

T = TypeVar("T")


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
