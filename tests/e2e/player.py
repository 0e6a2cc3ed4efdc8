"""A player who knows nothing but the mails: reads boards, answers with moves, over SMTP."""

import smtplib
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.utils import make_msgid, parseaddr

from pbm.rules import abalone as rules
from tests.e2e.postfix import Postfix
from tests.e2e.running import RunningServer
from tests.e2e.sink import Delivered, Sink
from tests.polling import PATIENCE, until

SERVER = "pbm@games.example"


def text_of(mail: Delivered) -> str:
    """The text part of a delivered mail."""
    for part in message_from_bytes(mail.raw).walk():
        if part.get_content_type() == "text/plain":
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            return payload.decode("utf-8").replace("\r\n", "\n")
    raise AssertionError("a mail without a text part")


def position_in(text: str) -> rules.AbalonePosition:
    """The position that a board's mail ends with."""
    _, label, state = text.rpartition("State:")
    assert label
    return rules.parse_state(" ".join(state.split()))


@dataclass
class Player:
    """Somebody with a mailbox at the sink, who writes to the server by raw SMTP."""

    handle: str
    server: RunningServer | Postfix  # whichever it is handed to
    sink: Sink
    read: int = field(default=0, init=False)
    welcome: Delivered = field(init=False)

    @property
    def address(self) -> str:
        """The player's only address."""
        return f"{self.handle}@players.example"

    @property
    def mails(self) -> list[Delivered]:
        """Everything that has arrived."""
        return self.sink.to(self.address)

    def signs_up(self) -> None:
        """Become a player."""
        self.writes(f"signup {self.handle}")
        self.answers(self.receives(), "yes")
        self.welcome = self.receives()
        assert f"You play as {self.handle} now." in text_of(self.welcome)

    def challenges(self, other: "Player") -> Delivered:
        """Start a board against another, and return one's own mail about it."""
        self.answers(self.welcome, f"challenge {other.handle}")
        other.receives()
        return self.receives()

    def receives(self) -> Delivered:
        """Wait for the next mail not read yet."""
        mails = until(
            lambda: self.mails if len(self.mails) > self.read else [], f"mail to {self.handle}"
        )
        self.read += 1
        return mails[self.read - 1]

    def writes(self, subject: str, body: str = "", *, to: str = "") -> None:
        """Send a new mail, to the server's plain address unless told otherwise."""
        settings = getattr(self.server, "settings", {})  # a server in front has none
        plain = settings.get("PBM_ADDRESS", SERVER)
        self.sends(self._mail(subject, body, to or plain))

    def answers(self, mail: Delivered, body: str) -> None:
        """Answer a mail as any mail program does."""
        self.sends(self.answer_to(mail, body))

    def answer_to(self, mail: Delivered, body: str) -> EmailMessage:
        """Write an answer without sending it."""
        answered: Message = message_from_bytes(mail.raw)
        reply_to = parseaddr(answered["Reply-To"] or answered["From"])[1]
        quoted = "".join(f"> {line}\n" for line in text_of(mail).split("\n"))
        full = f"{body}\n\nOn Sat, 21 Nov 2026 at 12:00, pbm wrote:\n{quoted}"
        reply = self._mail(f"Re: {answered['Subject']}", full, reply_to)
        reply["In-Reply-To"] = answered["Message-ID"]
        references = f"{answered['References'] or ''} {answered['Message-ID']}"
        reply["References"] = " ".join(references.split())  # which may have been folded
        return reply

    def sends(self, mail: EmailMessage) -> None:
        """Hand a mail over, in a connection of its own."""
        with smtplib.SMTP("127.0.0.1", self.server.port, timeout=PATIENCE) as smtp:
            smtp.send_message(mail)

    def _mail(self, subject: str, body: str, to: str) -> EmailMessage:
        mail = EmailMessage()
        mail["From"] = f"{self.handle.title()} <{self.address}>"
        mail["To"] = to
        mail["Subject"] = subject
        mail["Message-ID"] = make_msgid(domain="players.example")
        mail.set_content(body)
        return mail
