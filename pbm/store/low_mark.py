"""From where rows that wait are looked for: behind those that have waited and are done.

While any transaction that began before may still see a row as it waited, an index of what waits
keeps an entry of it. So a backup of an hour leaves the entries of an hour there, and a look that
starts at the beginning reads them all. A process that remembers how far it has come reads few.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)  # before anything that waits
LOOK_AT_ALL = timedelta(seconds=5)  # between two looks from the beginning
MARGIN = timedelta(seconds=10)
"""So long before that a row may be dated which another process, by its clock, is just writing."""


@dataclass
class LowMark:
    """How far the looks of one process have come.

    What waits before the mark is found some seconds later, by the next look from the beginning:
    what was not free then, what was put back by the operator, what a slow clock has dated.
    """

    _mark: datetime = field(default=BEGINNING, init=False)
    _looked_at_all: datetime | None = field(default=None, init=False)

    def since(self, now: datetime) -> datetime:
        """From which moment on to look now. A clock that went back has us look at all."""
        last = self._looked_at_all
        if last is None or not last <= now < last + LOOK_AT_ALL:
            self._looked_at_all = now
            self._mark = BEGINNING
        return self._mark

    def found(self, moments: Iterable[datetime], now: datetime) -> None:
        """Remember since when those have waited that a look has found first."""
        self._mark = min((now, *moments)) - MARGIN
