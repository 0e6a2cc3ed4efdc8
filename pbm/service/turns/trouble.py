"""Our own faults: told to the sender and the operator at once, in a sentence, without secrets."""

from datetime import datetime
from traceback import format_exception

from pbm.mail.address import Postmaster, address_key
from pbm.mail.reading.inbound import read
from pbm.mail.reading.limits import HEADER_ONLY
from pbm.service.mail_numbers import incoming, outgoing
from pbm.service.operator.masking import masked
from pbm.service.turns.mail_writer import Cause, MailWriter, Site
from pbm.store.db import UnitOfWork
from pbm.store.values import InboxMail, OutboxMail, Player

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


def tell_operator(work: UnitOfWork, site: Site, mail: InboxMail, now: datetime) -> None:
    """Tell the operator which mail is stuck, and why."""
    if not site.operator:
        return
    params = {"number": incoming(mail.id), "error": work.inbox.get(mail.id).outcome}
    mail_writer = MailWriter(work, site, now, Cause(mail.id))
    mail_writer.notice(
        site.operator, "stuck-operator", f"mail {incoming(mail.id)} is stuck", params
    )


def tell_sender(work: UnitOfWork, site: Site, mail: InboxMail, now: datetime) -> None:
    """Tell the player who sent a stuck mail that it is not lost."""
    player = _sender(work, site, mail)
    if player is not None:
        mail_writer = MailWriter(work, site, now, Cause(mail.id))
        params = {"number": incoming(mail.id)}
        mail_writer.notice_player(player, "stuck-player", "your mail has to wait", params)


def tell_of_failed(
    work: UnitOfWork, site: Site, mail: OutboxMail, reason: str, now: datetime
) -> None:
    """Tell the operator of a mail that could not be sent; once, while that word waits itself."""
    if not site.operator or not mail.kind.treatment.loss_is_told:
        return
    if work.outbox.is_due(_FAILED, site.operator):
        return
    params = {"number": outgoing(mail.id), "recipient": mail.recipient, "error": reason}
    mail_writer = MailWriter(work, site, now)
    mail_writer.notice(
        site.operator, _FAILED, f"mail {outgoing(mail.id)} could not be sent", params
    )


def _sender(work: UnitOfWork, site: Site, mail: InboxMail) -> Player | None:
    """The player whose verified address sent it; nobody else is told."""
    if isinstance(site.address.parse(mail.recipient), Postmaster):
        return None
    own = site.address.plain
    envelope = read(mail.raw, envelope_sender=mail.sender, own_address=own, limits=HEADER_ONLY)
    if envelope.automatic or envelope.author is None:
        return None
    return work.players.by_address(address_key(envelope.author))
