"""Names of mails in logs, replies and `pbm-admin`: `i12` is incoming, `o12` outgoing.

Inbox and outbox number their mails separately.
"""

import re
from typing import NamedTuple

from pbm.errors import OperatorError

_NAME = re.compile(r"([io]?)([1-9]\d{0,8})", re.ASCII | re.IGNORECASE)


class MailNumber(NamedTuple):
    """The number of a mail; ``str()`` is its name."""

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
    """Parse a mail's name. Raises OperatorError, also for an ambiguous one."""
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
