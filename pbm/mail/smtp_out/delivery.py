"""What comes of handing a mail over, and what can be handed one."""

import re
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Sent:
    """The next server, or the disk, has taken responsibility for the mail."""


@dataclass(frozen=True)
class Deferred:
    """Not now: try again later. ``reason`` is for the operator, and holds no secret.

    ``recipient_status`` is the code (RFC 3463, ``4.2.2``) with which the next server refused
    the recipient; empty where the trouble was another. ``code`` is that of its reply (550), 0
    where it gave none.
    """

    reason: str
    recipient_status: str = ""
    code: int = 0


@dataclass(frozen=True)
class Failed:
    """Never: this mail to this address will not be taken. The fields are as above."""

    reason: str
    recipient_status: str = ""
    code: int = 0


Delivery = Sent | Deferred | Failed


class Transport(Protocol):
    """The way out for mail. Trouble is an answer, never an exception."""

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:
        """Hand over one mail; an empty ``envelope_sender`` is the null sender ``<>``."""
        ...

    async def close(self) -> None:
        """Let go of what is kept open; a later delivery opens it anew."""
        ...


_LONGEST = 200
_TAG_LIKE = re.compile(r"[a-z2-7]{16,}", re.ASCII | re.IGNORECASE)


def presentable(text: str) -> str:
    """Foreign text as one short line of printable ASCII, with our tags masked."""
    masked = _TAG_LIKE.sub("***", text)
    printable = "".join(char if " " <= char <= "~" else " " for char in masked)
    return " ".join(printable.split())[:_LONGEST]
