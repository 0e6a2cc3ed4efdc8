"""How many answers an address gets. Board mails never count."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.mail.address import address_key
from pbm.store.db import UnitOfWork


@dataclass(frozen=True)
class Limit:
    """At most so many answers within a time; `pause` is the kind of mail that says so once."""

    most: int
    within: timedelta
    pause: str


PLAYER_LIMITS = (
    Limit(20, timedelta(hours=1), "pause-hour"),
    Limit(100, timedelta(days=1), "pause-day"),
)
STRANGER_ANSWERS = 5
STRANGER_WITHIN = timedelta(days=1)


def strangers_answers_left(work: UnitOfWork, address: str, now: datetime) -> int:
    """How many answers an address that nobody plays from may still get today."""
    written = work.outbox.count_answers(address_key(address), now - STRANGER_WITHIN)
    return max(0, STRANGER_ANSWERS - written)


def is_paused(work: UnitOfWork, address: str, now: datetime) -> bool:
    """Whether a player was told of a pause that is not over yet."""
    return any(
        work.outbox.written_since(limit.pause, address_key(address), now - limit.within)
        for limit in PLAYER_LIMITS
    )


def limit_reached(work: UnitOfWork, address: str, now: datetime) -> Limit | None:
    """The limit that a player's next answer would go beyond."""
    key = address_key(address)
    return next(
        (
            limit
            for limit in PLAYER_LIMITS
            if work.outbox.count_answers(key, now - limit.within) >= limit.most
        ),
        None,
    )
