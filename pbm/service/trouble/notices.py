"""Notices of stuck and failed mails, and the forwarding of mail for postmaster to the operator."""

import re
from base64 import b64encode
from datetime import timedelta
from hashlib import sha256
from typing import Any

from pbm.commands.turn import Turn
from pbm.mail.address import Postmaster
from pbm.mail.reading.inbound import read_header
from pbm.mail.reading.limits import LIMITS, UnreadableMail
from pbm.play.limits import Rate
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import InboxMail, OutboxMail, incoming, outgoing
from pbm.store.values.players import Player

_PER_CAUSE = Rate("trouble", 1, timedelta(days=1))  # notices to the operator
_CODE = re.compile(r"\b[45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3}\b)?", re.ASCII)
_OF_ONE_MAIL = re.compile(r"\S*[@\d]\S*|'[^']*'|\"[^\"]*\"", re.ASCII)
_FORWARDED = b"X-PBM-Forwarded: yes\r\n"
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")
_MOST_LOOKED_AT = 65536  # bytes; other servers add their lines above ours


class NoOperatorError(Exception):
    """Raised if a mail for postmaster cannot be forwarded; the mail becomes stuck in the inbox."""


def forward_to_operator(turn: Turn, mail: InboxMail) -> str:
    """Forward a mail for postmaster or abuse unchanged. Raises NoOperatorError."""
    if not turn.site.operator:
        raise NoOperatorError("PBM_OPERATOR is not set; read this mail with pbm-admin queue show")
    head = _END_OF_HEADERS.split(mail.raw[:_MOST_LOOKED_AT], maxsplit=1)[0]
    if any(line.strip().lower() == _FORWARDED.strip().lower() for line in head.split(b"\n")):
        raise NoOperatorError("this mail was sent on once already")
    MailWriter(turn).forward(turn.site.operator, b64encode(_FORWARDED + mail.raw).decode("ascii"))
    return "sent on to the operator"


def tell_of_trouble(turn: Turn, template: str, params: dict[str, Any], error: str) -> None:
    """Mail the operator about an error, at most once a day for the same SMTP code or text."""
    operator, code = turn.site.operator, _CODE.search(error)
    cause = code[0] if code else _OF_ONE_MAIL.sub("", error)
    key = sha256(cause.encode()).hexdigest()[:16]
    if operator and _PER_CAUSE.take(turn.work, turn.now, template, key, wait=False):
        MailWriter(turn).notice(operator, template, params)


def tell_anew(work: UnitOfWork) -> None:
    """Reset the limits of notices, since the operator has repaired something."""
    work.buckets.forget_all(_PER_CAUSE.name)


def tell_operator(turn: Turn, mail: InboxMail) -> None:
    """Tell the operator which mail is stuck, and why."""
    number, error = incoming(mail.id), turn.work.inbox.get(mail.id).outcome or ""
    tell_of_trouble(turn, "stuck-operator", {"number": number, "error": error}, error)


def tell_sender(turn: Turn, mail: InboxMail) -> None:
    """Tell a player that a mail of theirs is stuck."""
    player, _ = sender_of(turn, mail)
    if player is not None:
        MailWriter(turn).notice(player, "stuck-player", {"number": incoming(mail.id)})


def sender_of(turn: Turn, mail: InboxMail) -> tuple[Player | None, str]:
    """Return the player with the address in a mail's `From:`, and the mail's subject.

    Return None and "" if nobody may be told about the mail.
    """
    address = turn.site.address
    if isinstance(address.parse(mail.recipient), Postmaster):
        return None, ""
    try:
        envelope = read_header(mail.raw, mail.sender, address.plain, LIMITS)
    except UnreadableMail:
        return None, ""
    if envelope.automatic or envelope.author is None:
        return None, ""
    return turn.work.players.by_address(envelope.author), envelope.subject


def tell_of_failed(turn: Turn, mail: OutboxMail, reason: str) -> None:
    """Tell the operator that a mail could not be sent. The loss of some kinds is not reported."""
    if mail.kind.treatment.loss_is_reported:
        params = {"number": outgoing(mail.id), "recipient": mail.recipient, "error": reason}
        tell_of_trouble(turn, "failed-operator", params, reason)
