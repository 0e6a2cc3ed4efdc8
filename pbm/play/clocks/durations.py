"""Durations as people write them: `10d`, `2 weeks`, `36h`, `1 week 2 days`."""

import re
from datetime import timedelta
from functools import reduce

LONGEST = timedelta(days=3650)
_UNITS = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), timedelta(minutes=1)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), timedelta(hours=1)),
    **dict.fromkeys(("", "d", "day", "days"), timedelta(days=1)),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks"), timedelta(weeks=1)),
    **dict.fromkeys(("month", "months"), timedelta(days=30)),
}
_PART = re.compile(r"([0-9]{1,6})[ ]?([a-z]{0,7})(?:[ ,]+|(?=[0-9])|$)", re.ASCII)


def parse_duration(text: str) -> timedelta | None:
    """Read a duration; a number alone counts days. None where it is none, or longer than
    `LONGEST`.

    >>> parse_duration("2 weeks"), parse_duration("1d 12h").total_seconds()
    (datetime.timedelta(days=14), 129600.0)
    """
    text = text.strip().lower().replace(" and ", " ")
    at, parts = 0, []
    while at < len(text):
        found = _PART.match(text, at)
        if found is None or found[2] not in _UNITS:
            return None
        parts.append(int(found[1]) * _UNITS[found[2]])
        at = found.end()
    total = reduce(timedelta.__add__, parts, timedelta())
    return total if parts and total <= LONGEST else None


def write_duration(duration: timedelta) -> str:
    """Write a duration as one word, to the minute.

    >>> write_duration(timedelta(days=21)), write_duration(timedelta(hours=36))
    ('21d', '1d12h')
    """
    days, hours = duration.days, duration.seconds // 3600
    minutes = duration.seconds // 60 % 60
    parts = ((days, "d"), (hours, "h"), (minutes, "m"))
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0d"
