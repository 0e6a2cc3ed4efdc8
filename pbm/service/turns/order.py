"""The order of turns: fair between senders, players before strangers.

Each mail gets a place when it comes. That is the moment, or later the more of its sender's mails
wait already and the longer they are. So whoever sends much waits behind those who send little,
and nobody waits for ever.
"""

from pbm.mail.address import (
    Bounce,
    PlayerReply,
    Postmaster,
    Probe,
    QuestionReply,
    Recipient,
)
from pbm.mail.reading.limits import LONG
from pbm.store.values.mails import Queued

STRANGERS_HANDICAP = 60.0  # seconds; players who write within that time go first
FURTHEST = 120.0  # seconds; short mails of one sender that may wait for their turns
_MOST_PIECES = 8  # of `LONG` bytes, each a second; what a mail says beyond is not read


def queued(recipient: Recipient, author: str, raw: bytes, *, from_player: bool) -> Queued:
    """Where a mail to this recipient stands. `author` is the key of an address.

    `from_player`: it came to our plain address, and a player writes from the author's.
    """
    apart = 1.0 + min(len(raw) // LONG, _MOST_PIECES)
    match recipient:
        case PlayerReply(player_id, board_id):
            return Queued(f"u{player_id}", board_id, apart=apart, furthest=FURTHEST)
        case Bounce(player_id):
            return Queued(f"b{player_id}", apart=apart, furthest=FURTHEST)
        case Postmaster():
            return Queued(handicap=STRANGERS_HANDICAP)
    known = from_player or isinstance(recipient, QuestionReply | Probe)
    handicap = 0.0 if known else STRANGERS_HANDICAP
    return Queued(author or None, None, known, handicap, apart, FURTHEST)
