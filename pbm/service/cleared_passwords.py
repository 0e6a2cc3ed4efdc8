"""Tells players whose password an upgrade has cleared (migration 0007)."""

from datetime import datetime

from pbm.service.letters import House, Letters
from pbm.store.db import UnitOfWork

CLEARED = "passwords-cleared"
_TEMPLATE, _SUBJECT = "password-cleared", "your password"


def tell_whose_was_cleared(work: UnitOfWork, house: House, now: datetime) -> None:
    """Write to each of them at every address, once, whichever process comes first."""
    fact = work.facts.take(CLEARED)
    letters = Letters(work, house, now)
    for player in work.players.some(fact.value) if fact else ():
        for address in player.addresses[1:]:
            letters.notice(address, _TEMPLATE, _SUBJECT, {"handle": player.handle})
        if player.addresses:
            letters.notice_player(player, _TEMPLATE, _SUBJECT, {"handle": player.handle})
