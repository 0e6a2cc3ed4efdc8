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
"""Rows that another process is writing may be dated up to this much earlier, by its clock."""


@dataclass
class ScanFloor:
    """The progress of the scans of one process.

    A scan from the beginning, every few seconds, finds the rows below the floor: rows that were
    locked, retried by the operator, or dated by a slow clock.
    """

    _floor: datetime = field(default=BEGINNING, init=False)
    _scanned_all: datetime | None = field(default=None, init=False)

    def since(self, now: datetime) -> datetime:
        """The moment to scan from: the beginning if the clock was set back."""
        last = self._scanned_all
        if last is None or not last <= now < last + SCAN_ALL:
            self._scanned_all = now
            self._floor = BEGINNING
        return self._floor

    def found(self, moments: Iterable[datetime], now: datetime) -> None:
        """Note the moments of the first rows that a scan has found."""
        self._floor = min((now, *moments)) - MARGIN
