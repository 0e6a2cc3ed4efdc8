"""Our own faults: told to the sender and the operator at once, in a sentence, without secrets."""

from datetime import timedelta
from traceback import format_exception

from pbm.mail.address import Postmaster, address_key
from pbm.mail.reading.inbound import read
from pbm.mail.reading.limits import HEADER_ONLY
from pbm.play.turn import Turn
from pbm.service.mail_numbers import incoming, outgoing
from pbm.service.operator.masking import masked
from pbm.service.turns.mail_writer import MailWriter
from pbm.store.values.mails import InboxMail, OutboxMail
from pbm.store.values.players import Player

GIVEN_UP_FOR = timedelta(seconds=10)  # until that is tried again which the database gave up
_FAILED = "failed-operator"
_LONGEST = 300


def in_a_line(error: Exception) -> str:
    """An error for the operator: one short line without control characters and secrets."""
    text = f"{type(error).__name__}: {error}"
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return masked(line)[:_LONGEST]


def traceback_of(error: BaseException) -> str:
    """Where an error came from, for the log; what it quotes of a mail is masked."""
    return masked("".join(format_exception(error)).rstrip("\n"))


def tell_operator(turn: Turn, mail: InboxMail) -> None:
    """Tell the operator which mail is stuck, and why."""
    operator, number = turn.site.operator, incoming(mail.id)
    if operator:
        params = {"number": number, "error": turn.work.inbox.get(mail.id).outcome}
        MailWriter(turn).notice(operator, "stuck-operator", f"mail {number} is stuck", params)


def tell_sender(turn: Turn, mail: InboxMail) -> None:
    """Tell the player who sent a stuck mail that it is not lost."""
    player = _sender(turn, mail)
    if player is not None:
        params = {"number": incoming(mail.id)}
        MailWriter(turn).notice_player(player, "stuck-player", "your mail has to wait", params)


def tell_of_failed(turn: Turn, mail: OutboxMail, reason: str) -> None:
    """Tell the operator of a mail that could not be sent; once, while that word waits itself."""
    operator, number = turn.site.operator, outgoing(mail.id)
    if not operator or not mail.kind.treatment.loss_is_told:
        return
    if turn.work.outbox.is_due(_FAILED, operator):
        return
    params = {"number": number, "recipient": mail.recipient, "error": reason}
    MailWriter(turn).notice(operator, _FAILED, f"mail {number} could not be sent", params)


def _sender(turn: Turn, mail: InboxMail) -> Player | None:
    """The player whose verified address sent it; nobody else is told."""
    site = turn.site
    if isinstance(site.address.parse(mail.recipient), Postmaster):
        return None
    own = site.address.plain
    envelope = read(mail.raw, envelope_sender=mail.sender, own_address=own, limits=HEADER_ONLY)
    if envelope.automatic or envelope.author is None:
        return None
    return turn.work.players.by_address(address_key(envelope.author))
