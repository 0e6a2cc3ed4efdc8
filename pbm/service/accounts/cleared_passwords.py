"""Tells players whose password an upgrade has cleared (migration 0007)."""

from datetime import datetime

from pbm.service.turns.mail_writer import MailWriter, Site
from pbm.store.db import UnitOfWork

CLEARED = "passwords-cleared"
_TEMPLATE, _SUBJECT = "password-cleared", "your password"


def tell_whose_was_cleared(work: UnitOfWork, site: Site, now: datetime) -> None:
    """Write to each of them at every address, once, whichever process comes first."""
    fact = work.facts.take(CLEARED)
    mail_writer = MailWriter(work, site, now)
    for player in work.players.some(fact.value) if fact else ():
        for address in player.addresses[1:]:
            mail_writer.notice(address, _TEMPLATE, _SUBJECT, {"handle": player.handle})
        if player.addresses:
            mail_writer.notice_player(player, _TEMPLATE, _SUBJECT, {"handle": player.handle})
