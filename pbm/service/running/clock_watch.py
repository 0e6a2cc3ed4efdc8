"""Notices that the clock was set back, which leaves behind what was put off to a later time."""

from datetime import datetime, timedelta

from pbm.clock import Clock

_UNNOTICED = timedelta(minutes=1)  # that clocks are set back by again and again, and harm nobody


class ClockWatch:
    """Compares a clock with itself."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest: datetime | None = None

    def went_back(self) -> bool:
        """Whether the clock was set back since the last call; perhaps, at the first one."""
        now, latest = self._clock(), self._latest
        if latest is None or now < latest - _UNNOTICED:
            self._latest = now
            return True
        self._latest = max(now, latest)
        return False
