"""Mail for postmaster and abuse: to the operator, unread."""

import re
from base64 import b64encode

from pbm.play.turn import Turn
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.values.mails import InboxMail

_MARK = b"X-PBM-Forwarded: yes\r\n"
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")
_MOST_LOOKED_AT = 65536  # bytes; other servers put their own lines above ours


class NoOperatorError(Exception):
    """There is nobody to send the mail on to; it stays in the queue."""


def forward_to_operator(turn: Turn, mail: InboxMail) -> str:
    """Send a mail on as it came. Raises NoOperatorError where there is no way."""
    if not turn.site.operator:
        raise NoOperatorError("PBM_OPERATOR is not set; read this mail with pbm-admin queue show")
    head = _END_OF_HEADERS.split(mail.raw[:_MOST_LOOKED_AT], maxsplit=1)[0]
    if any(line.strip().lower() == _MARK.strip().lower() for line in head.split(b"\n")):
        raise NoOperatorError("this mail was sent on once already")
    MailWriter(turn).forward(turn.site.operator, b64encode(_MARK + mail.raw).decode("ascii"))
    return "sent on to the operator"
