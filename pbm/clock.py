"""The clock is passed in wherever it is needed, so that tests can stop it."""

from collections.abc import Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]
LocalMoment = dict[str, int | str | bool]


def system_clock() -> datetime:
    """Return the present moment as an aware UTC datetime."""
    return datetime.now(UTC)


def local_moment(moment: datetime, timezone: str) -> LocalMoment:
    """A moment in a time zone, as template values; `utc` means that the zone must be named.

    >>> local_moment(datetime(2026, 11, 24, 12, tzinfo=UTC), "UTC")
    {'weekday': 1, 'at': '2026-11-24 12:00', 'utc': True}
    """
    local = moment.astimezone(ZoneInfo(timezone))
    at = f"{local:%Y-%m-%d %H:%M}"
    return {"weekday": local.weekday(), "at": at, "utc": timezone == "UTC"}
