"""Composes a mail of ours from its parts: equal parts always make equal bytes.

This is our own small builder: on Python 3.11.7 the standard one accepted crafted values as header
lines, and it costs several times as much. Tests parse its output with the standard parser.
"""

import base64
import binascii
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from pbm.mail.reading.wire import has_longer_line
from pbm.mail.writing.headers import (
    HeaderError,
    ascii_field,
    check_field_name,
    mailbox_field,
    message_id_field,
    text_field,
)

__all__ = ["HeaderError", "InlinePicture", "OutgoingMail", "compose"]

_LONGEST_LINE = 998  # RFC 5322, section 2.1.1, without CRLF
_ENCODED_LINE = 76  # RFC 2045, section 6.8
_PRINTABLE = bytes([*b"\t\r\n", *range(32, 127)])
_OUR_FIELDS = frozenset(
    {
        *("from", "to", "reply-to", "subject", "date", "message-id", "in-reply-to", "references"),
        *("auto-submitted", "mime-version", "return-path", "received", "sender", "cc", "bcc"),
    }
)


class InlinePicture(NamedTuple):
    """A PNG that the HTML part shows by its Content-ID, as a `cid:` address (RFC 2392)."""

    content_id: str
    png: bytes


class OutgoingMail(NamedTuple):
    """The parts of one mail to one person.

    ``references`` are oldest first, as RFC 5322, section 3.6.4, has them; ``date`` is aware;
    ``auto_submitted`` is a keyword of RFC 3834, section 5, or None for no such field;
    ``extra`` are further fields in their order, printable ASCII only; without ``html`` the
    mail is plain text; ``pictures`` belong to the HTML part (RFC 2387).
    """

    sender_name: str
    from_address: str
    to: str
    subject: str
    message_id: str
    date: datetime
    text: str
    html: str | None = None
    reply_to: str | None = None
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    auto_submitted: str | None = None
    extra: Mapping[str, str] = MappingProxyType({})
    pictures: tuple[InlinePicture, ...] = ()


def compose(mail: OutgoingMail) -> bytes:
    """The mail as sent: CRLF line ends, ASCII, no line over 998 characters.

    Raises HeaderError for an invalid header value: control characters, line breaks, malformed
    addresses and Message-IDs, extra fields that only we write.
    """
    head = "\r\n".join(_fields(mail)).encode("ascii")
    return head + b"\r\n" + _body(mail)


def _fields(mail: OutgoingMail) -> list[str]:
    fields = [
        mailbox_field("From", mail.from_address, mail.sender_name),
        mailbox_field("To", mail.to),
    ]
    if mail.reply_to is not None:
        fields.append(mailbox_field("Reply-To", mail.reply_to))
    fields.append(text_field("Subject", mail.subject))
    fields.append(f"Date: {_date(mail.date.replace(microsecond=0))}")
    fields.append(message_id_field("Message-ID", [mail.message_id]))
    if mail.in_reply_to is not None:
        fields.append(message_id_field("In-Reply-To", [mail.in_reply_to]))
    if mail.references:
        fields.append(message_id_field("References", mail.references))
    if mail.auto_submitted is not None:
        fields.append(ascii_field("Auto-Submitted", mail.auto_submitted))
    fields += _extra_fields(mail.extra)
    fields.append("MIME-Version: 1.0")
    return fields


@lru_cache(maxsize=64)  # mails of one second have one date
def _date(date: datetime) -> str:
    if date.tzinfo is None or date.utcoffset() is None:
        raise HeaderError("The date of a mail needs a time zone.")
    try:
        return format_datetime(date.astimezone(UTC))
    except OverflowError:
        raise HeaderError("The date of a mail is out of range.") from None


def _extra_fields(extra: Mapping[str, str]) -> list[str]:
    seen: set[str] = set()
    for name in extra:
        lowered = check_field_name(name).lower()
        if lowered in _OUR_FIELDS or lowered.startswith(("content-", "resent-")):
            raise HeaderError(f"{name} is not a field that can be added to a mail.")
        if lowered in seen:
            raise HeaderError(f"{name} is given twice.")
        seen.add(lowered)
    return [ascii_field(name, value) for name, value in extra.items()]


def _body(mail: OutgoingMail) -> bytes:
    text = _part("plain", mail.text)
    if mail.html is None:
        return text
    html = _part("html", mail.html)
    if mail.pictures:
        pictures = (_picture(picture) for picture in mail.pictures)
        html = _multipart('related; type="text/html"', (html, *pictures), f"p {mail.message_id}")
    return _multipart("alternative", (text, html), mail.message_id)


def _multipart(subtype: str, parts: tuple[bytes, ...], seed: str) -> bytes:
    boundary = _boundary(seed, parts)
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
    encoded = base64.b64encode(png)
    return b"".join(
        [encoded[at : at + _ENCODED_LINE] + b"\r\n" for at in range(0, len(encoded), _ENCODED_LINE)]
    )


def _part(subtype: str, text: str) -> bytes:
    """A part: fields, an empty line, and the text with CRLF line ends, one at its end."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removesuffix("\n")
    body = f"{lines}\n".replace("\n", "\r\n").encode("utf-8", "replace")
    encoding = "7bit"
    if not _is_plain(body):
        body, encoding = binascii.b2a_qp(body), "quoted-printable"
    fields = f"Content-Type: text/{subtype}; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}"
    return fields.encode("ascii") + b"\r\n\r\n" + body


def _is_plain(body: bytes) -> bool:
    """Whether the text survives transport unencoded: no trailing blanks, controls or long lines."""
    return (
        not body.translate(None, _PRINTABLE)
        and b" \r\n" not in body
        and b"\t\r\n" not in body
        and not has_longer_line(body, _LONGEST_LINE)
    )


def _boundary(seed: str, parts: tuple[bytes, ...]) -> bytes:
    """A boundary derived from the seed that occurs in no part."""
    for attempt in range(sum(map(len, parts))):
        digest = hashlib.sha256(f"{attempt} {seed}".encode("ascii")).digest()
        boundary = b"=_" + base64.b32encode(digest[:15])
        if not any(boundary in part for part in parts):
            return boundary
    raise AssertionError("no text of that length can hold so many boundaries")
