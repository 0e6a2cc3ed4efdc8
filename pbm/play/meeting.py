"""Who may come to sit at one board: blocks, and what players say of challenges."""

from collections.abc import Sequence

from pbm.errors import Refusal
from pbm.store.db import UnitOfWork
from pbm.store.values import Player


def may_meet(work: UnitOfWork, one: Player, other: Player) -> bool:
    """Whether a new game may bring two players together: neither has blocked the other."""
    return not work.blocks.among((one.id, other.id))


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
    if most and work.boards.begun_by_others(other.id, most=most) >= most:
        raise Refusal("has-enough-games", handle=other.handle, most=most)
