"""A mail server in front of ours: it stamps what comes from the world, and passes it on."""

import re
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.controller import Controller

from tests.e2e.ports import free_port
from tests.polling import PATIENCE

NAME = "mx.games.example"
_RECEIVED = f"Received: from the.world by {NAME} with ESMTP; Sat, 21 Nov 2026 12:00:00 +0000\r\n"
_OURS = re.compile(
    rb"^authentication-results:\s*mx\.games\.example\b.*\r\n(?:[ \t].*\r\n)*",
    re.IGNORECASE | re.MULTILINE,
)
_ALL_RECEIVED = re.compile(rb"^received:.*\r\n(?:[ \t].*\r\n)*", re.IGNORECASE | re.MULTILINE)


@dataclass
class Front:
    """How it treats a mail, all of which a test may change.

    `says` is what its own result says, empty for none; `minds_case`: it removes only results
    whose name is in small letters; `passes_on`: mails arrive at all.
    """

    target: int
    port: int = field(default_factory=free_port)
    says: str = "dmarc=none"
    removes: bool = True
    minds_case: bool = False
    keeps_received: bool = True
    adds_received: int = 1
    passes_on: bool = True

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: ARG002
        """Stamp a mail and hand it on."""
        if not self.passes_on:
            return "250 2.0.0 queued for ever"
        with smtplib.SMTP("127.0.0.1", self.target, timeout=PATIENCE) as smtp:
            smtp.sendmail(envelope.mail_from or "", envelope.rcpt_tos, self._stamped(envelope))
        return "250 2.0.0 passed on"

    def _stamped(self, envelope: Any) -> bytes:
        head, _, body = envelope.original_content.partition(b"\r\n\r\n")
        head += b"\r\n"
        if self.removes:
            pattern = re.compile(_OURS.pattern, re.MULTILINE) if self.minds_case else _OURS
            head = pattern.sub(b"", head)
        if not self.keeps_received:
            head = _ALL_RECEIVED.sub(b"", head)
        own = f"Authentication-Results: {NAME};\r\n\t{self.says}\r\n" if self.says else ""
        return (own + _RECEIVED * self.adds_received).encode() + head + b"\r\n" + body


@contextmanager
def running_front(target: int) -> Iterator[Front]:
    """Run a front on a free loopback port before the server on another."""
    front = Front(target)
    controller = Controller(front, hostname="127.0.0.1", port=front.port)
    controller.start()
    try:
        yield front
    finally:
        controller.stop()
