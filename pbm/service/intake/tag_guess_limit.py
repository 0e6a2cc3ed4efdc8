"""Limits how many invalid reply addresses a network may try.

Over the limit a network is deferred before its next address is checked, so that it learns nothing.
If `MAIL FROM` is an address of the tagged player, the try counts for that player alone, as a
guesser at a large provider shares the network with players. Behind an upstream server the network
may be unknown. Then nothing is deferred, since one guesser must not shut the others out: a tag has
80 bits, and the log warns for each player.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from pbm.mail.address import Bounce, PlayerReply, Probe, QuestionReply, address_key
from pbm.mail.smtp_in.handler import Rejection
from pbm.play.limits import Rate
from pbm.store.db import UnitOfWork

GUESSES = Rate("guesses", 20, timedelta(hours=1))
Signed = PlayerReply | QuestionReply | Probe | Bounce
_NOBODY = 0
_WHAT = "4.7.1 Too many addresses that are not valid were tried from where you write; "
CLOSED = Rejection(421, f"{_WHAT}please try again later.")
PUT_OFF = Rejection(450, f"{_WHAT}please send this mail again later.")
_log = structlog.get_logger("pbm.guesses")


@dataclass(frozen=True)
class Guesser:
    """Key of a counter of tries; `network` is empty if unknown.

    `player_id` is the tagged player if `MAIL FROM` is theirs, or if the network is unknown.
    """

    network: str = ""
    player_id: int = _NOBODY


@dataclass(frozen=True)
class WrongTag(Rejection):
    """The refusal of an invalid reply address, to be counted with `count_wrong`."""

    by: Guesser = Guesser()


def try_of(work: UnitOfWork, recipient: Signed, sender: str, network: str) -> Guesser:
    """The counter key of a try."""
    tagged = recipient.player_id if isinstance(recipient, PlayerReply | Bounce) else _NOBODY
    if network and isinstance(recipient, Bounce):  # a bounce has no sender
        return Guesser(network, tagged)
    if not network or not tagged or not sender:
        return Guesser(network, _NOBODY if network else tagged)
    player = work.players.by_address(address_key(sender))
    is_own = player is not None and player.id == tagged
    return Guesser(network, tagged if is_own else _NOBODY)


def refuse_guesser(
    work: UnitOfWork, by: Guesser, now: datetime, *, closing: bool
) -> Rejection | None:
    """The refusal of a guesser over the limit, else None.

    `closing`: the guesser itself is connected, not an upstream server.
    """
    if not by.network or not _tried_enough(work, by, now):
        return None
    return CLOSED if closing else PUT_OFF


def refuse_wrong(work: UnitOfWork, by: Guesser, refusal: Rejection, now: datetime) -> Rejection:
    """The refusal of an invalid address; a `WrongTag` if it must be counted."""
    if by.player_id and not by.network and work.players.epoch(by.player_id) is None:
        by = Guesser()
    if _tried_enough(work, by, now):
        return refusal
    return WrongTag(refusal.code, refusal.text, refusal.why, by)


def count_wrong(work: UnitOfWork, by: Guesser, now: datetime) -> None:
    """Count a wrong try; log the last one before the limit."""
    taken = GUESSES.take(work, now, by.network, by.player_id, wait=False)
    if taken and _tried_enough(work, by, now):
        _log.warning(
            "many reply addresses that are not ours",
            network=by.network or "unknown",
            player=by.player_id or "none",
        )


def _tried_enough(work: UnitOfWork, by: Guesser, now: datetime) -> bool:
    return GUESSES.is_empty(work, now, by.network, by.player_id)
