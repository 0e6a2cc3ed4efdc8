"""The world between several servers: it passes mail on, and holds robots that answer everything."""

import asyncio
import smtplib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid, parseaddr
from typing import Any

from aiosmtpd.controller import Controller

from tests.e2e.ports import free_port
from tests.e2e.sink import Delivered, Sink
from tests.polling import PATIENCE

_STRIPPED = ("auto-submitted", "x-pbm-", "precedence")


@dataclass
class Relay(Sink):
    """A sink that hands mail for some domains to the servers there.

    What it passes on has arrived before it says so: a server whose queue is empty has nothing
    under way. `strips`: like a bad gateway it takes away what says that a program wrote a mail.
    """

    ports: dict[str, int] = field(default_factory=dict)
    robots: dict[str, str] = field(default_factory=dict)  # what each of them says
    strips: bool = False
    answered: list[str] = field(default_factory=list)  # how the robots' answers were taken

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        """Keep a mail and pass it on; what the next server says is the answer."""
        reply = await super().handle_DATA(server, session, envelope)
        for recipient in envelope.rcpt_tos:
            raw = self._stripped(envelope.original_content)
            mail = Delivered(envelope.mail_from or "", recipient, raw)
            reply = await asyncio.to_thread(self._pass_on, mail, reply)
        return reply

    def _pass_on(self, mail: Delivered, reply: str) -> str:
        domain = mail.recipient.rpartition("@")[2]
        if mail.recipient in self.robots:
            answer = self._answer(mail, self.robots[mail.recipient])
            raw = answer.as_bytes(policy=SMTP)
            said = self._hand_over(mail.recipient, answer["To"], raw)
            self.answered.append(said)
        elif domain in self.ports:
            return self._hand_over(mail.sender, mail.recipient, mail.raw)
        return reply

    def _hand_over(self, sender: str, recipient: str, raw: bytes) -> str:
        port = self.ports[recipient.rpartition("@")[2]]
        with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as smtp:
            smtp.ehlo()
            smtp.mail(sender)
            code, said = smtp.rcpt(recipient)
            if code == 250:
                code, said = smtp.data(raw)
            return f"{code} {said.decode('ascii')}".replace("\n", " ")

    def _answer(self, mail: Delivered, words: str) -> EmailMessage:
        """An answer to whatever it is, as no program should write it."""
        asked = message_from_bytes(mail.raw)
        answer = EmailMessage()
        answer["From"] = mail.recipient
        answer["To"] = parseaddr(asked["Reply-To"] or asked["From"])[1]
        answer["Subject"] = f"Re: {asked['Subject']}"
        answer["Message-ID"] = make_msgid(domain="robots.example")
        answer["In-Reply-To"] = asked["Message-ID"]
        answer.set_content(f"{words.format(number=len(self.mails))}\n")
        return answer

    def _stripped(self, raw: bytes) -> bytes:
        head, end, body = raw.partition(b"\r\n\r\n")
        if not self.strips:
            return raw
        lines = [
            line
            for line in head.split(b"\r\n")
            if not line.decode("latin-1").lower().startswith(_STRIPPED)
        ]
        return b"\r\n".join(lines) + end + body


@contextmanager
def running_relay(robots: Mapping[str, str], *, strips: bool) -> Iterator[Relay]:
    """Run a relay on a free loopback port; the servers are told to it once they run."""
    relay = Relay(port=free_port(), robots=dict(robots), strips=strips)
    controller = Controller(relay, hostname="127.0.0.1", port=relay.port)
    controller.start()
    try:
        yield relay
    finally:
        controller.stop()
