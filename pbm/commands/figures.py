"""Figures of limits in help pages: `{NAME}` is the limit, and `{NAME/hour}` that of an hour."""

import re
from datetime import timedelta
from typing import Any

from pbm.mail.reading.limits import LIMITS
from pbm.play import limits

_LIMITS: dict[str, Any] = {
    **vars(limits),
    "MEGABYTES": LIMITS.mail_bytes >> 20,
    "KILOBYTES_READ": LIMITS.text_bytes // 1024,
}
_FIGURE = re.compile(r"\{([A-Z_]+)(?:/(\d*)(minute|hour|day|week)s?)?\}")
_UNITS = {unit: timedelta(**{f"{unit}s": 1}) for unit in ("minute", "hour", "day", "week")}


def with_figures(page: str) -> str:
    """Replace each `{NAME}` in a help page by that limit's figure. Raises KeyError, ValueError.

    >>> with_figures("{NEWS/hour} an hour, {SENT/2hours} in 2, for {SEEK_STANDS/week} weeks")
    '30 an hour, 5 in 2, for 4 weeks'
    """
    return _FIGURE.sub(lambda found: str(_figure(*found.groups(""))), page)


def _figure(name: str, count: str, unit: str) -> int:
    limit = _LIMITS[name]
    if isinstance(limit, int):
        return limit
    if not unit:
        return int(limit.most)
    time = int(count or 1) * _UNITS[unit]
    is_length = isinstance(limit, timedelta)
    number, rest = divmod(limit, time) if is_length else divmod(limit.most * time, limit.within)
    if rest:
        raise ValueError(f"{name} is no whole number for {count}{unit}")
    return int(number)
