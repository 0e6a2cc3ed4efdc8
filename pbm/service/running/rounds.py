"""The rounds of a worker's loop. New rows and due times wake it; it outlasts the database."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import TypeVar

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock

LOOK_AGAIN = 5.0  # seconds, in case a notification is lost (docs/adr/processes.md)
BLOCKED_PAUSE = 1.0  # seconds to wait if a due row cannot be claimed yet
DATABASE_PAUSE = 1.0  # seconds to wait when the database is down
T = TypeVar("T")
Alive = Callable[[], object]
_log = structlog.get_logger("pbm.loops")


async def rounds(
    a_round: Callable[[], Awaitable[float | None]], event: asyncio.Event, alive: Alive, waiting: str
) -> None:
    """Call `alive` and `a_round` in turn, for ever; go on after a pause if the database is down.

    `a_round` returns the seconds to wait for `event`, None for no wait. `waiting` is for the log.
    """

    async def living() -> float | None:
        alive()
        event.clear()
        return await a_round()

    while True:
        seconds = await until_done(living, waiting)
        if seconds is not None:
            await woken(event, seconds)


async def until_done(work: Callable[[], Awaitable[T]], waiting: str) -> T:
    """Do the work; retry while the database is down. `waiting` is for the log."""
    while True:
        try:
            return await work()
        except DBAPIError as error:
            _log.warning(f"database away, {waiting}", error=str(error.orig))
            await asyncio.sleep(DATABASE_PAUSE)


def until(due_at: datetime | None, clock: Clock) -> float:
    """Return how many seconds to wait until `due_at`, if any, but at most `LOOK_AGAIN`.

    If `due_at` has passed, the row could not be claimed yet, so the wait is `BLOCKED_PAUSE`.
    """
    wait = (due_at - clock()).total_seconds() if due_at else LOOK_AGAIN
    if wait <= 0:
        return BLOCKED_PAUSE
    return min(max(wait, 0.05), LOOK_AGAIN)


async def woken(event: asyncio.Event, seconds: float) -> None:
    # asyncio.wait_for loses a cancellation before Python 3.12 if the event comes first.
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
