"""Detects that the clock was set back, and records when no mail could come in."""

from datetime import datetime, timedelta

from pbm.clock import Clock
from pbm.play.clocks.calendar import DOWN, LISTENING, UNNOTICED, known_outages
from pbm.service.running.writer import Piece, Writer
from pbm.store.db import UnitOfWork
from pbm.store.values.queues import TimerKind

_UNNOTICED = timedelta(minutes=1)  # routine steps back, which do no harm


class ClockWatch:
    """Detects that a clock went back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest: datetime | None = None
        self._is_to_be_mended = False

    async def mend(self, writer: Writer, bring_forward: Piece[None]) -> None:
        """Run `bring_forward` if the clock was set back, until it succeeds once. Raises
        DBAPIError."""
        self._is_to_be_mended = self.went_back() or self._is_to_be_mended
        if self._is_to_be_mended:
            await writer.do(bring_forward)
            self._is_to_be_mended = False

    def went_back(self) -> bool:
        """Whether the clock was set back since the last call; True at the first one."""
        now, latest = self._clock(), self._latest
        if latest is None or now < latest - _UNNOTICED:
            self._latest = now
            return True
        self._latest = max(now, latest)
        return False


_KEPT_FOR = timedelta(days=400)  # longer than any clock runs
_NOTICE_FROM = timedelta(days=1)  # after longer outages players are told their new deadlines


def note_listening(work: UnitOfWork, now: datetime) -> None:
    """Record that mail can come in; after an outage, record it and postpone deadlines."""
    before = work.facts.find(LISTENING, lock=True)
    if before is not None and abs(now - before.noted_at) > UNNOTICED:
        outages = list(known_outages(work))
        # A clock that was ahead recorded outages that never were.
        shifts = [(begin, max(begin, now) - end) for begin, end in outages if end > now]
        known = [(begin, min(end, now)) for begin, end in outages if begin < now]
        if before.noted_at < now:
            known.append((before.noted_at, now))
            shifts.append((before.noted_at, now - before.noted_at))
            if now - before.noted_at > _NOTICE_FROM:
                work.timers.set_for_awaited(TimerKind.NEW_DATES, now)
        work.expiring.put_off_answers(shifts)
        work.seeks.lock()  # lock order: after the question being answered, before its rows
        work.expiring.put_off_seeks(shifts)
        told = [
            [begin.isoformat(), end.isoformat()] for begin, end in known if end > now - _KEPT_FOR
        ]
        work.facts.note(DOWN, told, now)
    work.facts.note(LISTENING, None, now)
