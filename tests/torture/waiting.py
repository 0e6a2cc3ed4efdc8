"""Waiting in an event loop without sleeping for a fixed time, with a bound."""

import asyncio
import time
from collections.abc import Callable

PATIENCE = 180.0  # seconds; a bound for a hung server, not a measure of speed
_BETWEEN_LOOKS = 0.02


class NothingHappensError(AssertionError):
    """Something was waited for in vain."""


async def until(look: Callable[[], bool], what: str) -> None:
    """Look again and again until it is so. Raises NothingHappensError after `PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not look():
        if time.monotonic() > end:
            raise NothingHappensError(f"Waited {PATIENCE:.0f} s in vain for {what}.")
        await asyncio.sleep(_BETWEEN_LOOKS)
