"""Time limits: durations as people write them, and the limits (terms) of a board's clock."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

LONGEST_DURATION = timedelta(days=3650)
_UNITS = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), timedelta(minutes=1)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), timedelta(hours=1)),
    **dict.fromkeys(("", "d", "day", "days"), timedelta(days=1)),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks"), timedelta(weeks=1)),
    **dict.fromkeys(("month", "months"), timedelta(days=30)),
}
_PART = re.compile(r"([0-9]{1,6})[ ]?([a-z]{0,7})(?:[ ,]+|(?=[0-9])|$)", re.ASCII)


def parse_duration(text: str) -> timedelta | None:
    """Parse a duration; a number without a unit is in days. Return None if invalid or too long.

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
    total = sum(parts, timedelta())
    return total if parts and total <= LONGEST_DURATION else None


def write_duration(duration: timedelta) -> str:
    """Format a duration as one word, to the minute.

    >>> write_duration(timedelta(days=21)), write_duration(timedelta(hours=36))
    ('21d', '1d12h')
    """
    days, hours = duration.days, duration.seconds // 3600
    minutes = duration.seconds // 60 % 60
    parts = ((days, "d"), (hours, "h"), (minutes, "m"))
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0d"


_DAY = timedelta(days=1)
REMINDERS = (3 * _DAY, 7 * _DAY, 14 * _DAY)
LAST_REMINDER = _DAY  # before the end
REMINDED_AFTER, DECLINED_AFTER = 2 * _DAY, 5 * _DAY  # of a first move; since the reminder
FOR_TWO, FOR_MORE = 21 * _DAY, 14 * _DAY
SHORTEST, LONGEST = 2 * LAST_REMINDER, 365 * _DAY  # choices for a move
MOST = 3650 * _DAY  # for all moves
SOONEST, LEAST = timedelta(hours=2), timedelta(hours=1)  # of a reminder, of a bank's increment


@dataclass(frozen=True)
class Terms:
    """Limits of a board's clock, in seconds.

    In the methods, `used` is the time that the player's moves took so far, and `banked` is the time
    in the player's bank. A `banked` of None means that the bank is full.
    """

    each: int  # for a move
    reminders: tuple[int, ...]
    total: int | None = None  # for all moves of a player
    bank: int | None = None  # the most time in a player's bank; a move takes its time from it
    increment: int = 0  # a bank gets this after a move, until it is full

    @property
    def most(self) -> timedelta:
        """The longest that a move may take."""
        limits = (self.each, self.total, self.bank)
        return timedelta(seconds=min(limit for limit in limits if limit is not None))

    @property
    def counts_used(self) -> bool:
        """Whether the time for a move depends on how long the player took for earlier moves."""
        return self.total is not None or self.bank is not None

    def left(self, used: int, banked: int | None) -> int | None:
        """Return how many seconds a player has for all later moves together.

        Return None if the terms only limit each single move.
        """
        total = None if self.total is None else self.total - used
        limits = (total, self.bank if banked is None else banked)
        return min((limit for limit in limits if limit is not None), default=None)

    def banked_after(self, spent: float, banked: int | None) -> int | None:
        """Return the seconds in a bank after a move took `spent` seconds; None without a bank."""
        if self.bank is None:
            return None
        kept = max((self.bank if banked is None else banked) - spent, 0)
        # Gifts may exceed the size of the bank: it then does not grow.
        return int(max(kept, min(kept + self.increment, self.bank)))

    def reminders_within(self, allowed: timedelta) -> tuple[timedelta, ...]:
        """Return how long after the start of a wait for a move each reminder is due.

        `allowed` is the longest that the wait may take. The last reminder is due before it is over.
        """
        last = max(allowed - LAST_REMINDER, allowed / 2)
        before = (timedelta(seconds=seconds) for seconds in self.reminders)
        return (*(after for after in before if after < last), last)


@cache
def usual_terms(players: int) -> Terms:
    """Return the default terms for a number of players.

    >>> usual_terms(2).each // 86400, usual_terms(4).each // 86400
    (21, 14)
    """
    each = FOR_TWO if players == 2 else FOR_MORE
    return Terms(in_seconds(each), tuple(map(in_seconds, REMINDERS)))


def chosen_terms(
    players: int,
    *,
    each: timedelta | None = None,
    reminders: Sequence[timedelta] = (),
    total: timedelta | None = None,
    bank: tuple[timedelta, timedelta] | None = None,
) -> Terms | None:
    if each is None and not reminders and total is None and bank is None:
        return None
    usual = usual_terms(players)
    return Terms(
        usual.each if each is None else in_seconds(each),
        tuple(sorted(map(in_seconds, reminders))) or usual.reminders,
        None if total is None else in_seconds(total),
        *((None, 0) if bank is None else map(in_seconds, bank)),
    )


def in_seconds(duration: timedelta) -> int:
    return int(duration.total_seconds())
