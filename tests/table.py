"""A whole server around a table, without sockets: real database, real mails, a clock that stands.

table = Table(url)
alice = table.joins("alice")
alice.says("move a1-c3,d4").hears("bob's move")
"""

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.utils import format_datetime, parseaddr
from typing import Self

from pbm.mail.address import ServerAddress
from pbm.mail.render import Renderer
from pbm.mail.tags import Key, Keyring
from pbm.service.letters import House
from pbm.service.post import raw_mail
from pbm.service.receive import Intake
from pbm.service.turn import Turns
from pbm.store.db import Database
from pbm.store.migrate import migrate

SERVER = "pbm@games.example"
OPERATOR = "operator@games.example"
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def passes(self, **duration: float) -> None:
        """Let time go by."""
        self.time += timedelta(**duration)


@dataclass(frozen=True)
class Mail:
    """A mail of ours as its reader has it."""

    raw: bytes
    envelope_sender: str
    message: Message

    def __getitem__(self, header: str) -> str:
        value = self.message[header]
        return "" if value is None else str(make_header(decode_header(str(value))))

    @property
    def text(self) -> str:
        """The text part."""
        return self._part("text/plain")

    @property
    def html(self) -> str:
        """The HTML part."""
        return self._part("text/html")

    @property
    def reply_to(self) -> str:
        """The address that a reply goes to."""
        return parseaddr(self["Reply-To"] or self["From"])[1]

    def _part(self, kind: str) -> str:
        for part in self.message.walk():
            if part.get_content_type() == kind:
                payload = part.get_payload(decode=True)
                assert isinstance(payload, bytes)
                return payload.decode("utf-8").replace("\r\n", "\n")
        raise LookupError(kind)


class Table:
    """One server with its clock, its database and everybody's mailboxes."""

    def __init__(self, url: str) -> None:
        self.clock = Clock()
        self.database = Database(url)
        migrate(self.database)
        counter = itertools.count(1)
        keyring = Keyring((Key("k1", b"a secret key that only tests know"),))
        self.house = House(
            ServerAddress(SERVER), keyring, OPERATOR, unique=lambda: f"{next(counter):08d}"
        )
        self.intake = Intake(self.database, self.house, self.clock)
        self.turns = Turns(self.database, self.house, self.clock)
        self.renderer = Renderer()
        self.mailboxes: dict[str, list[Mail]] = {}
        self._sent = itertools.count(1)

    def person(self, address: str) -> "Person":
        """Somebody with a mailbox."""
        return Person(self, address)

    def joins(self, handle: str) -> "Person":
        """Somebody who signs up, as a newcomer does, and reads the welcome."""
        person = self.person(f"{handle}@example.org")
        person.writes(f"signup {handle}").says("yes")
        assert f"You play as {handle}" in person.newest.text
        return person

    def deliver(self, sender: str, recipient: str, raw: bytes) -> str:
        """Hand a mail to the server as the listener does; let it be obeyed and answered."""
        rejection = self.intake.accept_recipient(recipient)
        if rejection is not None:
            return f"{rejection.code} {rejection.text}"
        reply = self.intake.keep(sender, (recipient,), raw, "127.0.0.1")
        self.runs()
        return f"250 {reply}"

    def runs(self) -> None:
        """Do everything that waits: turns, then the post."""
        while self.turns.take_next():
            pass
        self.posts()

    def posts(self) -> None:
        """Send all due mails into the mailboxes."""
        while True:
            with self.database.transaction() as work:
                due = work.outbox.claim_due(self.clock(), most=50, passing_over=())
                for mail in due:
                    raw = raw_mail(mail, self.house, self.renderer)
                    work.outbox.finish(mail.id, "sent", self.clock())
                    arrived = Mail(raw, mail.sender, message_from_bytes(raw))
                    self.mailboxes.setdefault(mail.recipient.lower(), []).append(arrived)
            if not due:
                return

    def next_message_id(self) -> str:
        """A Message-ID for a mail that somebody sends."""
        return f"<{next(self._sent)}@mailer.example>"


@dataclass
class Person:
    """Somebody who writes to the server, from one address."""

    table: Table
    address: str
    replied: str = field(default="", init=False)
    _read: int = field(default=0, init=False)

    @property
    def mails(self) -> list[Mail]:
        """Everything that has arrived."""
        return self.table.mailboxes.get(self.address.lower(), [])

    @property
    def newest(self) -> Mail:
        """The mail that arrived last."""
        return self.mails[-1]

    def writes(self, subject: str, body: str = "", *, to: str = SERVER) -> Self:
        """Send a new mail."""
        return self._send(to, subject, body, {})

    def says(self, body: str, *, answering: Mail | None = None, subject: str = "") -> Self:
        """Answer a mail, the newest unless told otherwise."""
        mail = answering or self.newest
        headers = {"In-Reply-To": mail["Message-ID"]}
        return self._send(mail.reply_to, subject or f"Re: {mail['Subject']}", body, headers)

    def hears(self, *expected: str) -> Self:
        """Check that what arrived since the last time of asking says all this."""
        arrived = self.mails[self._read :]
        self._read = len(self.mails)
        heard = "\n".join(f"{mail['Subject']}\n{mail.text}" for mail in arrived)
        for words in expected:
            assert words in heard, f"{words!r} is not in:\n{heard}"
        return self

    def hears_nothing(self) -> Self:
        """Check that nothing has arrived since the last time of asking."""
        arrived = self.mails[self._read :]
        assert not arrived, arrived[0].text
        return self

    def forgets(self) -> Self:
        """Take everything so far as read."""
        self._read = len(self.mails)
        return self

    def _send(self, to: str, subject: str, body: str, headers: dict[str, str]) -> Self:
        lines = {
            "From": self.address,
            "To": to,
            "Subject": subject,
            "Date": format_datetime(self.table.clock()),
            "Message-ID": self.table.next_message_id(),
            "MIME-Version": "1.0",
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Transfer-Encoding": "8bit",
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        raw = f"{head}\r\n{body}\r\n".replace("\r\n", "\n").replace("\n", "\r\n").encode()
        self.replied = self.table.deliver(self.address, to, raw)
        return self
