"""The order of turns: fair between senders, players before strangers.

Each mail gets a place when it comes. That is the moment, or later the more of its sender's mails
wait already and the longer they are. So whoever sends much waits behind those who send little,
and nobody waits for ever.
"""

from pbm.mail.address import (
    Bounce,
    Plain,
    PlayerReply,
    Postmaster,
    Probe,
    QuestionReply,
    Recipient,
    address_key,
)
from pbm.mail.inbound import author_of
from pbm.store.db import UnitOfWork
from pbm.store.values import Queued

STRANGERS_HANDICAP = 60.0  # seconds; players who write within that time go first
FURTHEST = 120.0  # seconds; short mails of one sender that may wait for their turns
_PIECE = 8192  # bytes, for which a mail stands a second further behind
_MOST_PIECES = 8  # what a mail says beyond is not read


def queued(work: UnitOfWork, recipient: Recipient, sender: str, raw: bytes) -> Queued:
    """Where a mail to this recipient stands."""
    apart = 1.0 + min(len(raw) // _PIECE, _MOST_PIECES)
    match recipient:
        case PlayerReply(player_id, board_id):
            return Queued(f"u{player_id}", board_id, apart=apart, furthest=FURTHEST)
        case Bounce(player_id):
            return Queued(f"b{player_id}", apart=apart, furthest=FURTHEST)
        case Postmaster():
            return Queued(handicap=STRANGERS_HANDICAP)
    author = address_key(author_of(raw) or sender)
    known = isinstance(recipient, QuestionReply | Probe) or (
        isinstance(recipient, Plain) and work.players.by_address(author) is not None
    )
    handicap = 0.0 if known else STRANGERS_HANDICAP
    return Queued(author or None, None, known, handicap, apart, FURTHEST)
