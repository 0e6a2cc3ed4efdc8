"""The replies under `corpus/`: whole mails, after the known forms of the mail programs."""

import email
import tomllib
from base64 import encodebytes
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

from pbm.commands.script import Script, read_script
from pbm.mail.reading.charsets import decode, decode_transfer
from pbm.mail.reading.inbound import Envelope, clean_subject, read

FOLDER = Path(__file__).parent / "corpus"
SENDER, OWN = "bob@example.org", "pbm@games.example"


@dataclass(frozen=True)
class Reply:
    """A mail and what it says: the lines of its commands, and its words for the others."""

    name: str
    raw: bytes
    commands: tuple[str, ...]
    comment: tuple[str, ...]


def replies() -> list[Reply]:
    """All of them, by name."""
    expected = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))
    return [
        Reply(name, path.read_bytes(), tuple(says["commands"]), tuple(says["comment"]))
        for name, says in expected.items()
        if (path := FOLDER / f"{name}.eml").exists()
    ]


def read_reply(raw: bytes) -> Envelope:
    """The envelope of a mail of Bob's."""
    return read(raw, envelope_sender=SENDER, own_address=OWN)


def script_of(raw: bytes) -> Script:
    """What the mail asks for, in answer to a board's mail."""
    envelope = read_reply(raw)
    return read_script(
        clean_subject(envelope.subject),
        envelope.said,
        in_answer=True,
        below_quotes=envelope.below_quotes,
    )


def html_alone(raw: bytes) -> bytes | None:
    """The mail with nothing but its HTML part; None if it has none beside others."""
    mail = email.message_from_bytes(raw)
    parts = [part for part in mail.walk() if part.get_content_type() == "text/html"]
    if not mail.is_multipart() or not parts:
        return None
    return _with_body(mail, parts[0])


def rewritten(raw: bytes, change: Callable[[str], str]) -> bytes:
    """The mail with the text of each of its parts changed, and in UTF-8."""
    mail = email.message_from_bytes(raw)
    for part in mail.walk():
        if part.get_content_maintype() == "text":
            encoding = str(part["Content-Transfer-Encoding"])
            part.replace_header("Content-Transfer-Encoding", "8bit")
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            text = decode(decode_transfer(content, encoding), part.get_content_charset(""))
            part.set_payload(encodebytes(change(text).encode("utf-8")).decode("ascii"))
            part.set_param("charset", "utf-8")
            part.replace_header("Content-Transfer-Encoding", "base64")
    return _crlf(mail)


def _with_body(mail: Message, part: Message) -> bytes:
    for name in ("Content-Type", "Content-Transfer-Encoding"):
        del mail[name]
        mail[name] = part[name]
    mail.set_payload(_as_sent(part))
    return _crlf(mail)


def _as_sent(part: Message) -> str:
    """The content of a part in its own encoding, 8-bit bytes as they came."""
    if str(part["Content-Transfer-Encoding"]) != "8bit":
        return str(part.get_payload())
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode("ascii", "surrogateescape")


def _crlf(mail: Message) -> bytes:
    return mail.as_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
