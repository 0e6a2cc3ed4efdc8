"""How mails are named in logs, replies and on the operator's desk: `i12` came in, `o12` goes out.

Inbox and outbox count each for itself, so a bare 12 could be either of two mails.
"""

import re
from typing import NamedTuple

from pbm.errors import OperatorError

_NAME = re.compile(r"([io]?)([1-9]\d{0,8})", re.ASCII | re.IGNORECASE)


class MailNumber(NamedTuple):
    """Of a mail of the inbox, or of one in the outbox; ``str()`` is its name."""

    number: int
    is_outgoing: bool = False

    def __str__(self) -> str:
        return f"{'o' if self.is_outgoing else 'i'}{self.number}"


def incoming(number: int) -> str:
    """The name of a mail of the inbox."""
    return str(MailNumber(number))


def outgoing(number: int) -> str:
    """The name of a mail in the outbox."""
    return str(MailNumber(number, is_outgoing=True))


def parse_mail_number(name: str) -> MailNumber:
    """Read a mail's name. Raises OperatorError for what names none, or could be two."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise OperatorError(
            f"{name!r} names no mail: i12 is an incoming one, o12 one on its way out."
        )
    kind, number = found[1].lower(), int(found[2])
    if not kind:
        raise OperatorError(
            f"There may be two mails {number}: say {incoming(number)} for the one that came in, "
            f"{outgoing(number)} for the one on its way out."
        )
    return MailNumber(number, kind == "o")
