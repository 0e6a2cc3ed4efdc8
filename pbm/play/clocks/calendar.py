"""The time that counts for a player's clock. Days off and outages of the server do not count.

Days are counted in the player's time zone: a week from a Friday at 18:00 ends on a Friday at 18:00,
even across a change to summer time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pbm.store.db import UnitOfWork

_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)
_SATURDAY = 5  # as `date.weekday` counts
_FURTHEST = timedelta(days=4000)  # a later end counts as never

Stretch = tuple[datetime, datetime]  # aware for moments, naive for wall time


@dataclass(frozen=True)
class Calendar:
    """A player's time zone, and the times in which the player's clock does not run."""

    zone: ZoneInfo
    weekends_off: bool = False
    away: tuple[Stretch, ...] = ()  # vacations, in wall time of the zone
    stopped: tuple[Stretch, ...] = ()  # pauses of the board, outages of the server
    unreached: tuple[Stretch, ...] = ()  # mail to the player bounced

    @property
    def going_on(self) -> "Calendar":
        """A copy of this calendar in which the clock also runs while mail to the player bounces."""
        return replace(self, unreached=()) if self.unreached else self

    def elapsed(self, since: datetime, until: datetime) -> timedelta:
        stretches = self._running(self._wall(since), self._wall(until))
        return sum((end - start for start, end in stretches), timedelta())

    def after(self, since: datetime, allowed: timedelta) -> datetime | None:
        """Return the moment at which the clock, started at `since`, has run for `allowed`.

        Return None if that is years away.
        """
        start = self._wall(since)
        left = allowed
        for begin, end in self._running(start, start + _FURTHEST):
            if end - begin >= left:
                return (begin + left).replace(tzinfo=self.zone).astimezone(UTC)
            left -= end - begin
        return None

    def away_until(self, moment: datetime) -> date | None:
        """Return the last day of the vacation that goes on at a moment, or None without one."""
        last, today = None, self._wall(moment).date()
        for begin, finish in sorted(self.away):
            end = (finish - _INSTANT).date()
            if begin.date() <= today <= end:
                last, today = end, max(today, end + _DAY)  # the next vacation may follow at once
        return last

    def _running(self, start: datetime, end: datetime) -> Iterator[Stretch]:
        """Yield in order the stretches, from `start` to `end`, in which the clock runs."""
        stopped = (*self.stopped, *self.unreached)
        stops = [(self._wall(begin), self._wall(finish)) for begin, finish in stopped]
        for begin, finish in self._days(start, end):
            yield from _without(begin, finish, [*self.away, *stops])

    def _days(self, start: datetime, end: datetime) -> Iterator[Stretch]:
        """Yield the stretches of time without weekends, if these are off."""
        if start < end and not self.weekends_off:
            yield start, end
            return
        while start < end:
            midnight = datetime.combine(start.date() + _DAY, time())
            if start.weekday() < _SATURDAY:
                yield start, min(midnight, end)
            start = midnight

    def _wall(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone).replace(tzinfo=None)


def _without(start: datetime, end: datetime, stops: list[Stretch]) -> Iterator[Stretch]:
    for begin, finish in sorted(stops):
        if finish <= start or begin >= end:
            continue
        if begin > start:
            yield start, begin
        start = max(start, finish)
    if start < end:
        yield start, end


LISTENING, DOWN = "listening", "down"  # names of facts: the receiver's last heartbeat, outages
UNNOTICED = timedelta(seconds=60)  # three heartbeats; mail servers retry after shorter outages


def known_outages(work: UnitOfWork) -> Iterator[tuple[datetime, datetime]]:
    fact = work.facts.find(DOWN)
    for begin, end in fact.value if fact else ():
        yield datetime.fromisoformat(begin), datetime.fromisoformat(end)


def outages(work: UnitOfWork, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield the recorded outages, then the outage that still goes on at `until`, if any."""
    yield from known_outages(work)
    heard = work.facts.find(LISTENING)
    if heard is not None and until - heard.noted_at > UNNOTICED:
        yield heard.noted_at, until


def is_down(work: UnitOfWork, now: datetime) -> bool:
    """Return whether the server receives no mail now."""
    heard = work.facts.find(LISTENING)
    return heard is not None and now - heard.noted_at > UNNOTICED
