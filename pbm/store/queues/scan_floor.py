"""Lower bound for queue scans, so that they skip the index entries of finished rows.

As long as an old transaction, such as a backup's, may still see a row as due, the index of due rows
keeps its entry. A scan from the beginning would read all of these. A process that remembers how far
it has come reads few.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)  # before any row
SCAN_ALL = timedelta(seconds=5)  # between two scans from the beginning
MARGIN = timedelta(seconds=10)
"""A row that another process is writing, by its clock, may be dated that long ago."""


@dataclass
class ScanFloor:
    """How far the scans of one process have come.

    The next scan from the beginning, some seconds later, finds what is below the floor: rows that
    were locked, that the operator put back, that a slow clock has dated.
    """

    _floor: datetime = field(default=BEGINNING, init=False)
    _scanned_all: datetime | None = field(default=None, init=False)

    def since(self, now: datetime) -> datetime:
        """The moment to scan from. After the clock was set back that is the beginning."""
        last = self._scanned_all
        if last is None or not last <= now < last + SCAN_ALL:
            self._scanned_all = now
            self._floor = BEGINNING
        return self._floor

    def found(self, moments: Iterable[datetime], now: datetime) -> None:
        """Note the moments of the rows that a scan has found first."""
        self._floor = min((now, *moments)) - MARGIN
