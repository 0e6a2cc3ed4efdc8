"""Who may be put on a board with whom, where neither has named the other."""

from pbm.mail.address import mailbox_key
from pbm.store.db import UnitOfWork
from pbm.store.values import Player


def may_meet(work: UnitOfWork, one: Player, other: Player) -> bool:  # noqa: ARG001
    """Whether two players may meet: not where they seem to be one person, by their addresses."""
    return one.id != other.id and not _mailboxes(one) & _mailboxes(other)


def _mailboxes(player: Player) -> set[str]:
    return {mailbox_key(address) for address in player.addresses}
