"""A real SMTP server that keeps what it is sent: the world's end of a smarthost."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.controller import Controller

from tests.e2e.ports import free_port
from tests.secrets_issued import ISSUED


@dataclass(frozen=True)
class Delivered:
    """A mail as the next server got it."""

    sender: str
    recipient: str
    raw: bytes


@dataclass
class Sink:
    """What was delivered, in the order of arrival."""

    mails: list[Delivered] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: ARG002
        """Keep a mail, once for each recipient."""
        ISSUED.note_mail(envelope.original_content)
        with self.lock:
            for recipient in envelope.rcpt_tos:
                sender = envelope.mail_from or ""
                self.mails.append(Delivered(sender, recipient, envelope.original_content))
        return "250 2.0.0 kept"

    def to(self, address: str) -> list[Delivered]:
        """What one address got."""
        with self.lock:
            return [mail for mail in self.mails if mail.recipient == address]

    @property
    def url(self) -> str:
        """Where a smarthost is to be found."""
        return f"smtp://127.0.0.1:{self.port}"


@contextmanager
def running_sink() -> Iterator[Sink]:
    """Run a sink on a free loopback port."""
    sink = Sink(port=free_port())
    controller = Controller(sink, hostname="127.0.0.1", port=sink.port)
    controller.start()
    try:
        yield sink
    finally:
        controller.stop()
