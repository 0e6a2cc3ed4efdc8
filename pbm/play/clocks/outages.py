"""When no mail could come in: nobody loses time by that."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from pbm.store.db import UnitOfWork

LISTENING, DOWN = "listening", "down"  # facts: that mail can come in, and when it could not
UNNOTICED = timedelta(seconds=60)  # three beats; mail that has to wait for less comes by itself


def known_outages(work: UnitOfWork) -> Iterator[tuple[datetime, datetime]]:
    """The outages that were noted, in order."""
    fact = work.facts.find(DOWN)
    for begin, end in fact.value if fact else ():
        yield datetime.fromisoformat(begin), datetime.fromisoformat(end)


def outages(work: UnitOfWork, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    """All of them, with the one that may last until a moment."""
    yield from known_outages(work)
    heard = work.facts.find(LISTENING)
    if heard is not None and until - heard.noted_at > UNNOTICED:
        yield heard.noted_at, until


def is_down(work: UnitOfWork, now: datetime) -> bool:
    """Whether no mail can come in now."""
    heard = work.facts.find(LISTENING)
    return heard is not None and now - heard.noted_at > UNNOTICED
