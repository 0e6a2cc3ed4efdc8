"""Composes our mails from their parts: equal parts always make equal bytes.

The standard `email` package takes several times as long. On Python 3.11.7 it also accepted crafted
values with line breaks, so a sender could inject header lines. Our headers contain only printable
ASCII and encoded words (RFC 2047).
"""

import base64
import binascii
import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email import base64mime, quoprimime
from email.utils import format_datetime
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from pbm.mail.address import AddressError, is_message_id, parse_address
from pbm.mail.reading.mime import has_longer_line

SENDER_NAME = "pbm"
_LINE = 76  # RFC 2047, section 2: the limit for lines with encoded words
_LONGEST_LINE = 998  # RFC 5322, section 2.1.1
_WORD_BYTES = 45  # so many bytes of UTF-8 make a B word of 72 characters
_FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_PRINTABLE = bytes([*b"\t\r\n", *range(32, 127)])


class HeaderError(ValueError):
    """An invalid header value; ``str()`` names the field, not the value."""


class InlinePicture(NamedTuple):
    """A PNG that the HTML part shows by its Content-ID, as a `cid:` address (RFC 2392)."""

    content_id: str
    png: bytes


class OutgoingMail(NamedTuple):
    from_address: str
    to: str
    subject: str
    message_id: str
    date: datetime  # with a time zone
    text: str
    html: str
    reply_to: str | None = None
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()  # oldest first (RFC 5322, 3.6.4)
    auto_submitted: str | None = None  # a keyword of RFC 3834, section 5
    extra: Mapping[str, str] = MappingProxyType({})  # further fields, of printable ASCII
    pictures: tuple[InlinePicture, ...] = ()


def compose(mail: OutgoingMail) -> bytes:
    """Compose a mail in ASCII, with CRLF and no line over 998 characters. Raises HeaderError."""
    head = "\r\n".join([*_fields(mail), ""]).encode("ascii")  # first, as it checks all values
    text, html = _part("plain", mail.text), _part("html", mail.html)
    # Base64 has no underscore, so a picture holds no boundary.
    boundary = _boundary(mail.message_id, text + html)
    if mail.pictures:
        within = _boundary(f"p {mail.message_id}", text + html)
        parts = (html, *map(_picture, mail.pictures))
        html = _multipart('related; type="text/html"', parts, within)
    return head + _multipart("alternative", (text, html), boundary)


def _fields(mail: OutgoingMail) -> list[str]:
    fields = [mailbox_field("From", mail.from_address, SENDER_NAME)]
    fields.append(mailbox_field("To", mail.to))
    if mail.reply_to is not None:
        fields.append(mailbox_field("Reply-To", mail.reply_to))
    fields.append(_subject_field(mail.subject))
    fields.append(f"Date: {_date(mail.date.replace(microsecond=0))}")
    fields.append(message_id_field("Message-ID", [mail.message_id]))
    if mail.in_reply_to is not None:
        fields.append(message_id_field("In-Reply-To", [mail.in_reply_to]))
    if mail.references:
        fields.append(message_id_field("References", mail.references))
    if mail.auto_submitted is not None:
        fields.append(ascii_field("Auto-Submitted", mail.auto_submitted))
    fields += [ascii_field(name, value) for name, value in mail.extra.items()]
    fields.append("MIME-Version: 1.0")
    return fields


@lru_cache(maxsize=64)  # mails of one second have one date
def _date(date: datetime) -> str:
    return format_datetime(date.astimezone(UTC))


def _multipart(subtype: str, parts: tuple[bytes, ...], boundary: bytes) -> bytes:
    # The line end before a boundary belongs to the boundary, so each part keeps its own.
    within = b"".join([b"--%b\r\n%b\r\n" % (boundary, part) for part in parts])
    kind = f"Content-Type: multipart/{subtype}; boundary=".encode("ascii")
    return b'%b"%b"\r\n\r\n%b--%b--\r\n' % (kind, boundary, within, boundary)


def _picture(picture: InlinePicture) -> bytes:
    fields = (
        'Content-Type: image/png; name="board.png"',
        "Content-Transfer-Encoding: base64",
        message_id_field("Content-ID", [picture.content_id]),
        'Content-Disposition: inline; filename="board.png"',
    )
    return "\r\n".join([*fields, "\r\n"]).encode("ascii") + _base64(picture.png)


@lru_cache(maxsize=64)  # all players of a board get the same picture
def _base64(png: bytes) -> bytes:
    return base64.encodebytes(png).replace(b"\n", b"\r\n")


def _part(subtype: str, text: str) -> bytes:
    """Return a text part: its fields, an empty line, and the text, with CRLF line ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removesuffix("\n")
    body = f"{lines}\n".replace("\n", "\r\n").encode("utf-8", "replace")
    encoding = "7bit"
    # Controls, trailing blanks and long lines would not survive the transport.
    if (
        body.translate(None, _PRINTABLE)
        or b" \r\n" in body
        or b"\t\r\n" in body
        or has_longer_line(body, _LONGEST_LINE)
    ):
        body, encoding = binascii.b2a_qp(body), "quoted-printable"
    fields = f"Content-Type: text/{subtype}; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}"
    return fields.encode("ascii") + b"\r\n\r\n" + body


def _boundary(seed: str, text: bytes, attempt: int = 0) -> bytes:
    """Return a boundary derived from the seed that does not occur in the text."""
    digest = hashlib.sha256(f"{attempt} {seed}".encode("ascii")).digest()
    boundary = b"=_" + base64.b32encode(digest[:15])
    return _boundary(seed, text, attempt + 1) if boundary in text else boundary


def _subject_field(value: str) -> str:
    """Format the subject, encoded if needed. Raises HeaderError for control characters."""
    if not (value.isascii() and value.isprintable()) and any(
        unicodedata.category(char) in _FORBIDDEN_CATEGORIES for char in value
    ):
        raise HeaderError("The value of Subject holds a control character or a line break.")
    plain = f"Subject: {value}"
    if _stands_as_it_is(value) and len(plain) <= _LINE:
        return plain.rstrip(" ")
    return f"Subject: {_encoded(value)}"


def ascii_field(name: str, value: str) -> str:
    """Format a field of printable ASCII on one line. Raises HeaderError for all else."""
    if not value or not value.isprintable() or not _stands_as_it_is(value):
        raise HeaderError(f"The value of {name} must be printable ASCII without outer blanks.")
    line = f"{name}: {value}"
    if len(line) > _LONGEST_LINE:
        raise HeaderError(f"The value of {name} is too long for a header line.")
    return line


def list_fields(name: str, domain: str, unsubscribe: str) -> dict[str, str]:
    """Return the fields of RFC 2919 and RFC 2369, section 3.2, of a mail to many.

    `unsubscribe` is an address, perhaps with a subject as in a link: `a@b?subject=stop`.
    """
    return {"List-Id": f"<{name}.{domain}>", "List-Unsubscribe": f"<mailto:{unsubscribe}>"}


def mailbox_field(name: str, address: str, of: str = "") -> str:
    """Format a field of one mailbox, such as From and To; `of` names it. Raises HeaderError."""
    try:
        mailbox = parse_address(address)
    except AddressError as error:
        raise HeaderError(f"{name}: {error}") from None
    if not of:
        return f"{name}: {mailbox}"
    line = f"{name}: {of} <{mailbox}>"
    return line if len(line) <= _LINE else f"{name}: {of}\r\n <{mailbox}>"


def message_id_field(name: str, ids: Iterable[str]) -> str:
    """Format and fold a field of Message-IDs, such as References. Raises HeaderError."""
    line, lines = f"{name}:", []
    for message_id in ids:
        if not is_message_id(message_id):
            raise HeaderError(f"{name} may hold nothing but Message-IDs.")
        if len(line) + 1 + len(message_id) > _LINE and line != f"{name}:":
            lines.append(line)
            line = ""
        line += f" {message_id}"
    return "\r\n".join([*lines, line])


def _stands_as_it_is(value: str) -> bool:
    """Return whether a header can hold the value as it is: ASCII, no outer blanks, no ``=?``."""
    return value.isascii() and value == value.strip(" ") and "=?" not in value


def _encoded(subject: str) -> str:
    """Encode a subject as encoded words (RFC 2047)."""
    words: list[str] = []
    room = (_LINE - len("Subject: ") - 12) // 4 * 3
    piece = b""
    for char in subject:
        octets = char.encode("utf-8")
        if len(piece) + len(octets) > min(room, _WORD_BYTES):
            words.append(_word(piece))
            piece, room = b"", _WORD_BYTES
        piece += octets
    words.append(_word(piece))
    return "\r\n ".join(words)


def _word(octets: bytes) -> str:
    # The library's Q alphabet is that of a phrase (RFC 2047, section 5, rule 3), valid everywhere.
    readable = quoprimime.header_encode(octets, "utf-8")
    if len(readable) - len("=?utf-8?q??=") <= len(octets) * 4 // 3:
        return readable
    return base64mime.header_encode(octets, "utf-8")
