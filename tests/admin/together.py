"""Doing several things at the same moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any


def together(*acts: Callable[[], Any]) -> None:
    """Begin all acts at once, each in a thread of its own; what one of them raises is raised."""
    start = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> None:
        start.wait()
        act()

    with ThreadPoolExecutor(len(acts)) as pool:
        for running in [pool.submit(run, act) for act in acts]:
            running.result()
