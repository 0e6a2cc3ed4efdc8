"""The time, handed in wherever it is needed so that tests can stand still."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Return the present moment as an aware UTC datetime."""
    return datetime.now(UTC)
