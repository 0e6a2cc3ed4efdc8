"""Notices that the clock was set back, which leaves behind what was put off to a later time."""

from datetime import datetime, timedelta

from pbm.clock import Clock
from pbm.service.running.writer import Piece, Writer

_UNNOTICED = timedelta(minutes=1)  # that clocks are set back by again and again, and harm nobody


class ClockWatch:
    """Compares a clock with itself."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest: datetime | None = None
        self._is_to_be_mended = False

    async def mend(self, writer: Writer, bring_forward: Piece[None]) -> None:
        """Bring forward what was put off by a clock that was set back since; once that has
        succeeded, not again. Raises DBAPIError."""
        self._is_to_be_mended = self.went_back() or self._is_to_be_mended
        if self._is_to_be_mended:
            await writer.do(bring_forward)
            self._is_to_be_mended = False

    def went_back(self) -> bool:
        """Whether the clock was set back since the last call; perhaps, at the first one."""
        now, latest = self._clock(), self._latest
        if latest is None or now < latest - _UNNOTICED:
            self._latest = now
            return True
        self._latest = max(now, latest)
        return False
