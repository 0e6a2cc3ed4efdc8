"""An arriving mail before it is stored: its properties, and its place in the queue.

Reading a megabyte takes some tens of milliseconds, so this runs before any transaction. The queue
is fair between senders, with players before strangers. A mail's place is its arrival time plus a
delay, which grows with the number and length of its sender's waiting mails. So frequent senders
wait longer, but every mail gets its turn.
"""

from dataclasses import dataclass
from typing import Self

from pbm.mail.address import (
    Bounce,
    PlayerReply,
    Postmaster,
    Probe,
    QuestionReply,
    Recipient,
    address_key,
)
from pbm.mail.reading.inbound import Glance, glance_at
from pbm.mail.reading.limits import LONG
from pbm.mail.reading.wire import digest, has_message_id
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.store.values.mails import Queued

STRANGERS_HANDICAP = 60.0  # seconds; players who write within that time go first
FURTHEST = 120.0  # seconds; one sender's queue, at one second for each short mail
_MOST_PIECES = 8  # of `LONG` bytes, a second each; the rest of a mail is not read


@dataclass(frozen=True)
class Arriving:
    """A mail from `caller`. Copies of it have the same `digest`."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes
    caller: Caller
    digest: str
    has_message_id: bool
    glance: Glance

    @classmethod
    def look_at(
        cls,
        sender: str,
        recipients: tuple[str, ...],
        raw: bytes,
        caller: Caller,
        *,
        own_address: str,
    ) -> Self:
        """Read a mail's properties; in a thread if the mail `is_long`."""
        glance = glance_at(raw, envelope_sender=sender, own_address=own_address)
        return cls(sender, recipients, raw, caller, digest(raw), has_message_id(raw), glance)

    @property
    def author(self) -> str:
        """The apparent author's address key; empty if unknown."""
        return address_key(self.glance.author or self.sender)


def queued(recipient: Recipient, author: str, raw: bytes, *, from_player: bool) -> Queued:
    """The queue place of a mail to this recipient. `author` is the key of an address.

    `from_player`: it came to our plain address, from the address of a player.
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
