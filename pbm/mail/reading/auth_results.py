"""Parses `Authentication-Results` of the upstream mail server, and makes mails that test it.

Anybody can write such a field (RFC 8601, section 7.1). We trust one only if it has the configured
authserv-id and is above the `Received` field of the upstream server, or right below it if that
server puts its results there. A field with a blank before its colon is ignored, since the upstream
server may fail to remove a forged field that is spelt in this way.
"""

import re
from dataclasses import dataclass
from enum import Enum

_FIELD = re.compile(rb"([!-9;-~]{1,100})([ \t]*):([^\n]*(?:\n[ \t][^\n]*)*)\n?", re.ASCII)  # folded
_ID = re.compile(r"[ \t]*([^\s;()\"\\]{1,255})(?=[\s;(]|$)", re.ASCII)
_BLANKS = re.compile(r"[ \t\r\n]+", re.ASCII)
_METHOD = re.compile(
    r"([A-Za-z0-9-]{1,40}) ?(?:/ ?([0-9]{1,4}) ?)?= ?([A-Za-z0-9-]{1,40})(?= |$)", re.ASCII
)
_PROPERTY = re.compile(r" ([A-Za-z0-9-]{1,40}(?: ?\. ?[A-Za-z0-9_-]{1,80})?) ?= ?(\S+)", re.ASCII)
_SIGN = re.compile(r'"((?:[^"\\]|\\.)*+)"|[();"\\]', re.DOTALL)  # or a whole quoted string
_IN_COMMENT = re.compile(r"\\.|[()]", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.ASCII | re.DOTALL)
_QUOTED = re.compile(r'"(\d+)"', re.ASCII)
_VERSION = "1"
_NO_RESULT = "none"


class Dmarc(Enum):
    """The trusted DMARC result for the domain in `From:`."""

    PASS = "pass"
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Front:
    """The upstream mail server: the first of our mail servers that a mail reaches."""

    authserv_id: str
    hops: int  # `Received` fields that our servers add; the lowest is the upstream server's
    below: bool = False  # it puts results right below that field, and removes forged ones there


@dataclass(frozen=True)
class MethodResult:
    """The result of one method, such as `dmarc=pass`, and its properties, in lower case."""

    method: str
    result: str
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Results:
    """A parsed `Authentication-Results` field; `clear` tells whether all of it could be parsed."""

    authserv_id: str
    results: tuple[MethodResult, ...]
    clear: bool


@dataclass(frozen=True)
class Stamp:
    """A `Received` or `Authentication-Results` field of a mail's header."""

    name: str
    value: str
    received_above: int  # number of `Received` fields above it


def dmarc_of(raw: bytes, front: Front, author: str) -> Dmarc:
    """Return the DMARC result of the upstream server for the domain of `author`.

    One fail makes the result a fail. For a pass, all must be passes for exactly that domain.
    """
    stamps = stamps_of(raw)
    if sum(stamp.name == "received" for stamp in stamps) < front.hops:
        return Dmarc.UNKNOWN  # the mail did not take the expected route
    fields = [
        found
        for stamp in stamps
        if stamp.received_above < front.hops + front.below
        and (found := own_results(stamp, front.authserv_id)) is not None
    ]
    said = [item for field in fields for item in field.results if item.method == "dmarc"]
    if any(item.result == "fail" for item in said):
        return Dmarc.FAIL
    domain = author.rpartition("@")[2].lower()
    if said and all(field.clear for field in fields) and all(_vouches(x, domain) for x in said):
        return Dmarc.PASS
    return Dmarc.UNKNOWN


def own_results(stamp: Stamp, authserv_id: str) -> Results | None:
    """Parse `stamp` if it is a field of results from this authserv-id, else return None."""
    if stamp.name != "authentication-results":
        return None
    found = read_results(stamp.value)
    return found if found and found.authserv_id == authserv_id.lower() else None


def stamps_of(raw: bytes) -> list[Stamp]:
    """Return the `Received` and `Authentication-Results` fields of a header in order, unfolded."""
    stamps: list[Stamp] = []
    at = received = 0
    while found := _FIELD.match(raw, at):
        at = found.end()
        name = found[1].decode("ascii").lower()
        # A forger's field may have a blank before the colon.
        if name == "received" or (name == "authentication-results" and not found[2]):
            value = b"".join(line.rstrip(b"\r") for line in found[3].split(b"\n"))
            stamps.append(Stamp(name, value.decode("latin-1"), received))
            received += name == "received"
    return stamps


def read_results(value: str) -> Results | None:
    """Parse a field's unfolded value (RFC 8601, 2.2) in linear time; None if it is malformed."""
    begins = _ID.match(value)
    parts = _parts(value)
    if begins is None or parts is None:
        return None
    (head, *sections), quoted = parts
    named = head.split(" ")
    if named not in ([begins[1]], [begins[1], _VERSION]) or not sections:
        return None
    told = [section for section in sections if section]  # empty after a last semicolon
    read = [_result(section, quoted) for section in told if told != [_NO_RESULT]]
    results = tuple(item for item in read if item is not None)
    return Results(begins[1].lower(), results, clear=len(results) == len(read))


def _vouches(result: MethodResult, domain: str) -> bool:
    named = [value for name, value in result.properties if name == "header.from"]
    return result.result == "pass" and [name.rpartition("@")[2] for name in named] == [domain]


def _result(section: str, quoted: list[str]) -> MethodResult | None:
    method = _METHOD.match(section)
    if method is None or method[2] not in (None, _VERSION):
        return None
    properties: list[tuple[str, str]] = []
    at = method.end()
    while at < len(section):
        item = _PROPERTY.match(section, at)
        if item is None:
            return None
        text = quoted[int(found[1])] if (found := _QUOTED.fullmatch(item[2])) else item[2]
        properties.append((item[1].replace(" ", "").lower(), text.lower()))
        at = item.end()
    return MethodResult(method[1].lower(), method[3].lower(), tuple(properties))


def _parts(value: str) -> tuple[list[str], list[str]] | None:
    """Split a field at semicolons. Return the parts and the quoted strings; None if malformed.

    In the parts, quoted strings are replaced by `"0"`, `"1"`, … in order, and comments by blanks.
    """
    parts: list[list[str]] = [[]]
    quoted: list[str] = []
    at = 0
    while found := _SIGN.search(value, at):
        start, sign, at = found.start(), found[0], found.end()
        parts[-1].append(value[found.pos : start])
        if sign == ";":
            parts.append([])
        elif sign == "(":
            at = _end_of_comment(value, start)
            parts[-1].append(" ")
        elif found[1] is not None:
            parts[-1].append(f'"{len(quoted)}"')
            quoted.append(_ESCAPED.sub(r"\1", found[1]))
        else:
            return None
        if at == 0:
            return None
    parts[-1].append(value[at:])
    return [_BLANKS.sub(" ", "".join(part)).strip(" ") for part in parts], quoted


def _end_of_comment(value: str, at: int) -> int:
    """Return the index after the comment that begins at `at`, or 0 if it is not closed."""
    depth = 0
    for found in _IN_COMMENT.finditer(value, at):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return 0


_NAME = "Authentication-Results"
_FORGED = {
    "plain": _NAME + ": {id}; {says}",
    "without blanks": _NAME + ":{id};{says}",
    "in small letters": "authentication-results: {id}; {says}",
    "in capitals": "AUTHENTICATION-RESULTS: {capitals}; {says}",
    "folded": _NAME + ":\r\n\t{id};\r\n\t{says}",
    "with a version": _NAME + ": {id} 1; {says}",
    "with a comment": _NAME + ": {id} (nobody); (nothing) {says}",
    "below a Received": _NAME + ": {id}; {says}",
}
_SAYS = "dmarc=pass header.from={place}.{mark}.invalid"


@dataclass(frozen=True)
class Seen:
    """What became of a test mail on its way through the upstream mail server."""

    hops: int | None  # `Received` fields above the test mail's own; None if that one is gone
    survived: tuple[str, ...]  # kinds of forged fields that were not removed
    own: str  # its own results are "above" its `Received` field, right "below" it, or missing


def probe_mail(mark: str, sender: str, recipient: str, authserv_id: str, date: str) -> bytes:
    """Make a test mail that contains forged results, and the unique word `mark`."""
    *above, below = (
        spelling.format(
            id=authserv_id,
            capitals=authserv_id.upper(),
            says=_SAYS.format(place=f"f{number}", mark=mark),
        )
        for number, spelling in enumerate(_FORGED.values())
    )
    lines = [
        *above,
        f"Received: from probe.invalid by probe.invalid with SMTP id {mark};\r\n\t{date}",
        below,
        f"From: {sender}",
        f"To: {recipient}",
        f"Date: {date}",
        f"Message-ID: <{mark}@probe.invalid>",
        "Subject: a probe of pbm-admin doctor",
        "Auto-Submitted: auto-generated",
        "",
        "This mail tries whether forged Authentication-Results are removed. Nobody answers it.",
        "",
    ]
    return "\r\n".join(lines).encode("ascii")


def read_probe(raw: bytes, mark: str, authserv_id: str) -> Seen:
    stamps = stamps_of(raw)
    marked = (item for item in stamps if item.name == "received" and mark in item.value)
    hops = next((item.received_above for item in marked), None)
    survived: list[str] = []
    own = ""
    for stamp in stamps:
        found = own_results(stamp, authserv_id)
        if found is None:
            continue
        if mark in stamp.value:
            spelt = (name for at, name in enumerate(_FORGED) if f"=f{at}.{mark}." in stamp.value)
            survived.append(next(spelt, "changed on the way"))
        elif hops is not None and stamp.received_above <= hops:
            own = own or ("above" if stamp.received_above < hops else "below")
    return Seen(hops, tuple(survived), own)
