"""Tells players that an upgrade cleared their password (migration 0007)."""

from pbm.play.turn import Turn
from pbm.service.telling.mail_writer import MailWriter

CLEARED = "passwords-cleared"
_TEMPLATE, _SUBJECT = "password-cleared", "your password"


def tell_whose_was_cleared(turn: Turn) -> None:
    """Notify each of them at every address, once, from the first process that starts."""
    fact = turn.work.facts.take(CLEARED)
    mail_writer = MailWriter(turn)
    for player in turn.work.players.some(fact.value) if fact else ():
        for address in player.addresses[1:]:
            mail_writer.notice(address, _TEMPLATE, _SUBJECT, {"handle": player.handle})
        if player.addresses:
            mail_writer.notice_player(player, _TEMPLATE, _SUBJECT, {"handle": player.handle})
