"""The system clock, and moments as local time. Tests pass in clocks of their own."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]
LocalMoment = dict[str, int | str | bool]


def system_clock() -> datetime:
    return datetime.now(UTC)


def local_moment(moment: datetime, timezone: str) -> LocalMoment:
    """Return a moment as data for a template. `utc` in it is True if the time zone is UTC.

    >>> local_moment(datetime(2026, 11, 24, 12, tzinfo=UTC), "UTC")
    {'weekday': 1, 'at': '2026-11-24 12:00', 'utc': True}
    """
    day, at = _local(moment, timezone)
    return {"weekday": day.weekday(), "at": at, "utc": timezone == "UTC"}


def local_time(moment: datetime, timezone: str) -> str:
    """Return a moment in ISO 8601 to the minute, followed by the zone in parentheses.

    >>> local_time(datetime(2026, 11, 24, 23, tzinfo=UTC), "Europe/Berlin")
    '2026-11-24 24:00 (Europe/Berlin)'
    """
    return f"{_local(moment, timezone)[1]} ({timezone})"


def _local(moment: datetime, timezone: str) -> tuple[datetime, str]:
    """Return a moment's local day, and its text. Midnight is 24:00 of the day that ends."""
    local = moment.astimezone(ZoneInfo(timezone))
    if (local.hour, local.minute) == (0, 0):
        local -= timedelta(days=1)
        return local, f"{local:%Y-%m-%d} 24:00"
    return local, f"{local:%Y-%m-%d %H:%M}"
