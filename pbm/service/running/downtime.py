"""When no mail could come in: what players lost of their time then is given back to them."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from pbm.store.db import UnitOfWork

_UNNOTICED = timedelta(seconds=60)  # three beats; mail that has to wait for less comes by itself
_KEPT_FOR = timedelta(days=60)
LISTENING, _DOWN = "listening", "down"


def note_listening(work: UnitOfWork, now: datetime) -> None:
    """Write down that mail can come in, and since when it could not if it could not before."""
    before = work.facts.find(LISTENING, lock=True)
    if before is not None and abs(now - before.noted_at) > _UNNOTICED:
        # What a clock that was ahead took for downtime is none.
        known = [(begin, min(end, now)) for begin, end in _downtimes(work) if begin < now]
        if before.noted_at < now:
            known.append((before.noted_at, now))
        told = [
            [begin.isoformat(), end.isoformat()] for begin, end in known if end > now - _KEPT_FOR
        ]
        work.facts.note(_DOWN, told, now)
    work.facts.note(LISTENING, None, now)


def time_lost(work: UnitOfWork, since: datetime, until: datetime) -> timedelta:
    """How long no mail could come in between two moments, up to now perhaps."""
    lost = timedelta()
    for begin, end in _downtimes(work):
        lost += max(min(end, until) - max(begin, since), timedelta())
    heard = work.facts.find(LISTENING)
    if heard is not None and until - heard.noted_at > _UNNOTICED:
        lost += until - max(heard.noted_at, since)
    return lost


def _downtimes(work: UnitOfWork) -> Iterator[tuple[datetime, datetime]]:
    fact = work.facts.find(_DOWN)
    for begin, end in fact.value if fact else ():
        yield datetime.fromisoformat(begin), datetime.fromisoformat(end)
