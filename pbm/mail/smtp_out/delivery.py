"""The interface of a transport, and the results of a delivery."""

import re
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Sent:
    """A success: the next server, or the disk, has taken responsibility for the mail."""

    reply: str = field(default="", compare=False, repr=False)  # for the operator, without secrets


@dataclass(frozen=True)
class _NotSent:
    reason: str  # for the operator, without secrets
    recipient_status: str = ""  # of RFC 3463, if the next server refused the recipient
    code: int = 0  # of the server's SMTP reply; 0 without a reply


class Deferred(_NotSent):
    """A temporary failure, to be retried."""


class Failed(_NotSent):
    """A permanent failure of this mail to this address."""


Delivery = Sent | Deferred | Failed


class Transport(Protocol):
    """A way to send mail. Errors are returned as results, never raised."""

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:
        """Deliver one mail; an empty ``envelope_sender`` is the null sender `<>`."""

    async def close(self) -> None:
        """Close all connections; a later delivery opens new ones."""


_LONGEST = 200
_TAG_LIKE = re.compile(r"[a-z2-7]{16,}", re.ASCII | re.IGNORECASE)


def presentable(text: str) -> str:
    """Convert text from outside to a short line of printable ASCII, with our tags masked."""
    masked = _TAG_LIKE.sub("***", text)
    printable = "".join(char if " " <= char <= "~" else " " for char in masked)
    return " ".join(printable.split())[:_LONGEST]
