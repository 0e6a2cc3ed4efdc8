"""Our own faults: told to the sender and the operator at once, in a sentence, without secrets."""

from datetime import datetime

from pbm.mail.address import Postmaster, address_key
from pbm.mail.inbound import UnreadableMail, read
from pbm.service.letters import Cause, House, Letters
from pbm.store.db import UnitOfWork
from pbm.store.values import InboxMail, Player


def tell_of_stuck(work: UnitOfWork, house: House, mail: InboxMail, now: datetime) -> None:
    """Tell the operator which mail is stuck, and the player that it is not lost."""
    letters = Letters(work, house, now, Cause(mail.id))
    if house.operator:
        error = work.inbox.get(mail.id).outcome
        letters.notice(
            house.operator,
            "stuck-operator",
            f"mail {mail.id} is stuck",
            {"number": mail.id, "error": error},
        )
    player = _sender(work, house, mail)
    if player is not None:
        letters.notice_player(player, "stuck-player", "your mail has to wait", {"number": mail.id})


def _sender(work: UnitOfWork, house: House, mail: InboxMail) -> Player | None:
    """The player whose verified address sent it; nobody else is told."""
    if isinstance(house.address.parse(mail.recipient), Postmaster):
        return None
    try:
        envelope = read(mail.raw, envelope_sender=mail.sender, own_address=house.address.plain)
    except UnreadableMail:
        return None
    if envelope.automatic or envelope.author is None:
        return None
    return work.players.by_address(address_key(envelope.author))
