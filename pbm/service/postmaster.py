"""Mail for postmaster and abuse: to the operator, unread."""

from base64 import b64encode

from pbm.service.letters import House, Letters
from pbm.store.values import InboxMail

_MARK = b"X-PBM-Forwarded: yes\r\n"


class NoOperatorError(Exception):
    """There is nobody to send the mail on to; it stays in the queue."""


def forward_to_operator(house: House, letters: Letters, mail: InboxMail) -> str:
    """Send a mail on as it came. Raises NoOperatorError where there is no way."""
    if not house.operator:
        raise NoOperatorError("PBM_OPERATOR is not set; read this mail with pbm-admin queue show")
    if _MARK.lower() in mail.raw[:4096].lower():
        raise NoOperatorError("this mail was sent on once already")
    letters.forward(house.operator, b64encode(_MARK + mail.raw).decode("ascii"))
    return "sent on to the operator"
