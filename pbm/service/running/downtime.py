"""When no mail could come in is noted: players are given that time back."""

from datetime import datetime, timedelta

from pbm.play.clocks.outages import DOWN, LISTENING, UNNOTICED, known_outages
from pbm.store.db import UnitOfWork

_KEPT_FOR = timedelta(days=400)  # longer than any clock runs


def note_listening(work: UnitOfWork, now: datetime) -> None:
    """Write down that mail can come in, and since when it could not if it could not before."""
    before = work.facts.find(LISTENING, lock=True)
    if before is not None and abs(now - before.noted_at) > UNNOTICED:
        # What a clock that was ahead took for downtime is none.
        known = [(begin, min(end, now)) for begin, end in known_outages(work) if begin < now]
        if before.noted_at < now:
            known.append((before.noted_at, now))
        told = [
            [begin.isoformat(), end.isoformat()] for begin, end in known if end > now - _KEPT_FOR
        ]
        work.facts.note(DOWN, told, now)
    work.facts.note(LISTENING, None, now)
