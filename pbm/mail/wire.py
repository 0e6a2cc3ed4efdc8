"""What can be said about a mail from its bytes alone, before anything parses it."""

import hashlib
import re
from collections.abc import Iterator

# RFC 5321 section 2.3.8: CR and LF only as a pair.
_NOT_ON_THE_WIRE = re.compile(rb"\r(?!\n)|(?<!\r)\n|\0")

_ADDED_ON_THE_WAY = frozenset({b"received", b"return-path"})


def check_wire(raw: bytes) -> str | None:
    """Refuse a bare CR, a bare LF or a NUL anywhere in the mail: the sentence, or None.

    Programs differ in what they take for the end of a line, and a mail that two of them read
    differently can carry a second mail or a forged header (SMTP smuggling).
    """
    found = _NOT_ON_THE_WIRE.search(raw)
    if found is None:
        return None
    if found.group() == b"\0":
        return "Mail may hold no NUL characters, and its lines must end in CRLF."
    return "In mail all lines must end in CRLF; this one has a bare CR or a bare LF."


def digest(raw: bytes) -> str:
    """The SHA-256, in hexadecimal, of a mail without the marks of its way here.

    Left out are the `Received` and `Return-Path` fields of the header, with their folded lines:
    a mail that is sent again by a relay differs in these only.
    """
    summary = hashlib.sha256()
    kept = 0
    dropping = False
    for start, end in header_lines(raw):
        if raw[start : start + 1] not in (b" ", b"\t"):
            dropping = _name(raw[start:end]) in _ADDED_ON_THE_WAY
        if dropping:
            summary.update(raw[kept:start])
            kept = end
    summary.update(raw[kept:])
    return summary.hexdigest()


def has_message_id(raw: bytes) -> bool:
    """Does the header have a `Message-ID` field that is not blank?"""
    in_field = False
    for start, end in header_lines(raw):
        line = raw[start:end]
        if line[:1] not in (b" ", b"\t"):
            in_field = _name(line) == b"message-id"
            line = line.partition(b":")[2]
        if in_field and line.strip():
            return True
    return False


def _name(line: bytes) -> bytes:
    return line[:100].partition(b":")[0].rstrip(b" \t").lower()


def header_lines(raw: bytes) -> Iterator[tuple[int, int]]:
    """The lines of the header as (start, end after the line's end), up to the empty line."""
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start) + 1 or len(raw)
        if not raw[start:end].rstrip(b"\r\n"):
            return
        yield start, end
        start = end
