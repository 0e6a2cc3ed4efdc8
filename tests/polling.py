"""Waiting without sleeping for a fixed time: look again until it is so, with a bound."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")
PATIENCE = 240.0  # seconds; a bound for what hangs, which no busy machine reaches
_BETWEEN_LOOKS = 0.02


def until(look: Callable[[], _T], what: str, *, patience: float = PATIENCE) -> _T:
    """Call `look` until it gives something true, and return that. Fails after `patience`."""
    end = time.monotonic() + patience
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience} s in vain for {what}")
        time.sleep(_BETWEEN_LOOKS)


def together(*pieces: Callable[[], object]) -> None:
    """Do pieces of work at once, a thread each; raise what one of them raises."""
    with ThreadPoolExecutor(len(pieces)) as threads:
        for piece in [threads.submit(piece) for piece in pieces]:
            piece.result(PATIENCE)
