"""Where work is done that the event loop must not wait for: named threads, one for each name."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pbm.service.running.cooperative import InThread

T = TypeVar("T")


class Threads:
    """Threads by their names, each begun when it first has something to do."""

    def __init__(self) -> None:
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def one(self, name: str) -> InThread:
        """What does work in the thread of that name, one piece after the other."""
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(1, f"pbm-{name}")
        pool = self._pools[name]

        async def in_thread(work: Callable[[], T]) -> T:
            return await asyncio.get_running_loop().run_in_executor(pool, work)

        return in_thread

    def close(self) -> None:
        """Wait for what they do, and end them."""
        for pool in self._pools.values():
            pool.shutdown()


async def here(work: Callable[[], T]) -> T:
    """Do what an embedded database answers sooner than a thread would wake."""
    return work()
