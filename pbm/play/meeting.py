"""Who may come to sit at one board: blocks, and what players say of challenges."""

from collections.abc import Iterable, Sequence

from pbm.errors import Refusal
from pbm.mail.address import mailbox_key
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player


def may_meet(work: UnitOfWork, player: Player, others: Iterable[Player]) -> frozenset[int]:
    """The numbers of those with whom a new game may bring a player together unasked.

    Not where one has blocked the other, nor where two seem to be one person, by their addresses.
    """
    own = _mailboxes(player)
    apart = {other.id for other in others if not own & _mailboxes(other)} - {player.id}
    return frozenset(apart - work.blocks.around(player.id, apart))


def _mailboxes(player: Player) -> set[str]:
    return {mailbox_key(address) for address in player.addresses}


def check_meeting(work: UnitOfWork, begun_by: Player, players: Sequence[Player]) -> None:
    """Raise Refusal where one of the players of a new game has blocked another of them."""
    blocks = work.blocks.among([player.id for player in players])
    handles = {player.id: player.handle for player in players}
    for by, blocked in sorted(blocks):
        if by == begun_by.id:
            raise Refusal("you-blocked", handle=handles[blocked])
        if blocked == begun_by.id:
            raise Refusal("takes-none-from-you", handle=handles[by])
    for by, blocked in sorted(blocks):
        raise Refusal("not-together", handles=[handles[by], handles[blocked]])


def check_challenge(work: UnitOfWork, other: Player) -> None:
    """Raise Refusal where a player takes no challenge now."""
    settings = other.settings
    if settings.challenges == "off":
        raise Refusal("takes-no-challenges", handle=other.handle)
    most = settings.limit
    if most and work.beginnings.by_others(other.id, most=most) >= most:
        raise Refusal("has-enough-games", handle=other.handle, most=most)
