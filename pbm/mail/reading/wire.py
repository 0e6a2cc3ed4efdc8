"""Checks and digests of a mail's raw bytes, before parsing."""

import hashlib
import re
from operator import itemgetter

from pbm.mail.reading.automatic import may_tell_a_robot
from pbm.mail.reading.limits import LIMITS, UnreadableMail
from pbm.mail.reading.mime import split_header

# RFC 5321 section 2.3.8: CR and LF only as a pair.
_NOT_ON_THE_WIRE = re.compile(rb"\r(?!\n)|(?<!\r)\n|\0")

# The fields that decide how a mail is handled; copies of it by two routes have the same ones.
_READ = frozenset(
    "from subject message-id in-reply-to references content-type content-transfer-encoding "
    "content-disposition".split()
)


def check_wire(raw: bytes) -> str | None:
    """Return an error if a mail has a bare CR, a bare LF or a NUL. Return None if it is good."""
    pairs = raw.count(b"\r\n")
    if raw.count(b"\r") == pairs == raw.count(b"\n") and b"\0" not in raw:
        return None
    found = _NOT_ON_THE_WIRE.search(raw)
    if found is not None and found.group() == b"\0":
        return "Mail may hold no NUL characters, and its lines must end in CRLF."
    return "In mail all lines must end in CRLF; this one has a bare CR or a bare LF."


def has_longer_line(mail: bytes, most: int) -> bool:
    start = 0
    while len(mail) - start > most:
        end = mail.rfind(b"\n", start, start + most + 2)
        if end < 0:
            return True
        start = end + 1
    return False


def digest(raw: bytes) -> tuple[str, bool]:
    """Return the SHA-256, in hexadecimal, of a mail's body and the header fields that we read.

    The second result is whether the mail has a non-blank `Message-ID`, or an unreadable header.
    """
    try:
        headers, body = split_header(raw, LIMITS)
    except UnreadableMail:
        return hashlib.sha256(raw).hexdigest(), True
    is_named = any(map(str.strip, headers.all("message-id")))
    fields = [
        (name, b" ".join(value.split()))
        for name, value in headers.fields
        if name in _READ or may_tell_a_robot(name) or (name == "date" and not is_named)
    ]
    fields.sort(key=itemgetter(0))
    lines = [b"%b:%b\n" % (name.encode("ascii"), value) for name, value in fields]
    return hashlib.sha256(b"".join([*lines, b"\n", raw[body:]])).hexdigest(), is_named
