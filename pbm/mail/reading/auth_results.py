"""Sender authentication by the mail server in front of ours: `Authentication-Results`.

Anybody can write such a field (RFC 8601, section 7.1). We trust a field only above the `Received`
field that our own border server added, or right below that one if the border is known to put its
results there; never below a `Received` from outside. And the field must have the plain form that
mail servers write: the name right before the colon, and the configured authserv-id as the first
word. Variants that a forger could write (a comment before the id, a quoted id, a blank before the
colon) are ignored.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from pbm.mail.reading.wire import header_lines

_FIELD = re.compile(rb"([!-9;-~]{1,100})([ \t]*):", re.ASCII)
_ID = re.compile(r"[ \t]*([^\s;()\"\\]{1,255})(?=[\s;(]|$)", re.ASCII)
_BLANKS = re.compile(r"[ \t\r\n]+", re.ASCII)
_METHOD = re.compile(
    r"([A-Za-z0-9-]{1,40}) ?(?:/ ?([0-9]{1,4}) ?)?= ?([A-Za-z0-9-]{1,40})(?= |$)", re.ASCII
)
_PROPERTY = re.compile(r" ([A-Za-z0-9-]{1,40}(?: ?\. ?[A-Za-z0-9_-]{1,80})?) ?= ?(\S+)", re.ASCII)
_SIGN = re.compile(r"[();\"\\]", re.ASCII)
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
    """The mail server in front of ours.

    `hops` is the number of `Received` fields that a mail gets on its way from outside to us; the
    border's is the last of them. `below`: the border puts its results below that field, next to
    fields from outside. Then we rely on the border to remove forged ones.
    """

    authserv_id: str
    hops: int
    below: bool = False


@dataclass(frozen=True)
class MethodResult:
    """Result of one method, such as `dmarc=pass`, with its properties, all in lower case."""

    method: str
    result: str
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Results:
    """One parsed field: its authserv-id and results. `clear`: every part of it could be parsed."""

    authserv_id: str
    results: tuple[MethodResult, ...]
    clear: bool


@dataclass(frozen=True)
class Stamp:
    """One relevant header field, and the number of `Received` fields above it."""

    name: str
    value: str
    received_above: int
    plain: bool  # no blank before the colon


def dmarc_of(raw: bytes, front: Front, author: str) -> Dmarc:
    """The front's DMARC result for the domain of `author`, the one address in `From:`.

    Any fail counts. A pass counts only if all results are passes for exactly this domain.
    """
    stamps = list(stamps_of(raw))
    if sum(stamp.name == "received" for stamp in stamps) < front.hops:
        return Dmarc.UNKNOWN  # it did not take the expected route
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
    """The results in a field, if it is from this authserv-id."""
    if stamp.name != "authentication-results" or not stamp.plain:
        return None
    found = read_results(stamp.value)
    return found if found and found.authserv_id == authserv_id.lower() else None


def stamps_of(raw: bytes) -> Iterator[Stamp]:
    """The `Received` and `Authentication-Results` fields of a mail, from the top.

    They end at the first line that is no part of a header.
    """
    received = 0
    for name, plain, value in _fields(raw):
        if name == "received":
            yield Stamp(name, value, received, plain)
            received += 1
        elif name == "authentication-results":
            yield Stamp(name, value, received, plain)


def read_results(value: str) -> Results | None:
    """Parse the value of a field, unfolded (RFC 8601, section 2.2); None if it is malformed.

    Work is linear in the length of the value.
    """
    begins = _ID.match(value)
    parts = _parts(value)
    if begins is None or parts is None:
        return None
    (head, *sections), quoted = parts
    named = head.split(" ")
    if named not in ([begins[1]], [begins[1], _VERSION]) or not sections:
        return None
    told = [section for section in sections if section]  # some end the last one, too
    read = [_result(section, quoted) for section in told if told != [_NO_RESULT]]
    results = tuple(item for item in read if item is not None)
    return Results(begins[1].lower(), results, clear=len(results) == len(read))


def _vouches(result: MethodResult, domain: str) -> bool:
    named = [value for name, value in result.properties if name == "header.from"]
    return result.result == "pass" and [name.rpartition("@")[2] for name in named] == [domain]


def _result(section: str, quoted: list[str]) -> MethodResult | None:
    """Parse `dmarc=pass header.from=example.org`."""
    found = _METHOD.match(section)
    if found is None or found[2] not in (None, _VERSION):
        return None
    properties: list[tuple[str, str]] = []
    at = found.end()
    while at < len(section):
        item = _PROPERTY.match(section, at)
        if item is None:
            return None
        properties.append((item[1].replace(" ", "").lower(), _opened(item[2], quoted).lower()))
        at = item.end()
    return MethodResult(found[1].lower(), found[3].lower(), tuple(properties))


def _opened(value: str, quoted: list[str]) -> str:
    found = _QUOTED.fullmatch(value)
    return quoted[int(found[1])] if found else value


def _parts(value: str) -> tuple[list[str], list[str]] | None:
    """Split at the semicolons, without comments, blanks single.

    A quoted string is replaced by its number between quotes. None if a comment or a quoted string
    is not closed, or a character is not allowed.
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
        elif sign == '"':
            at = _end_of_quoted(value, start)
            parts[-1].append(f'"{len(quoted)}"')
            quoted.append(_ESCAPED.sub(r"\1", value[start + 1 : at - 1]))
        else:
            return None
        if at == 0:
            return None
    parts[-1].append(value[at:])
    return [_BLANKS.sub(" ", "".join(part)).strip(" ") for part in parts], quoted


def _end_of_comment(value: str, at: int) -> int:
    """The end of a comment, nested ones included; 0 if it is not closed."""
    depth = 0
    while at < len(value):
        if value[at] == "\\":
            at += 1
        elif value[at] in "()":
            depth += 1 if value[at] == "(" else -1
        at += 1
        if depth == 0:
            return at
    return 0


def _end_of_quoted(value: str, at: int) -> int:
    """The end of a quoted string; 0 if it is not closed."""
    at += 1
    while at < len(value):
        if value[at] == '"':
            return at + 1
        at += 2 if value[at] == "\\" else 1
    return 0


def _fields(raw: bytes) -> Iterator[tuple[str, bool, str]]:
    """Each field: name in lower case, whether the colon follows at once, and the unfolded value."""
    current: tuple[str, bool] | None = None
    value: list[bytes] = []
    for ended in header_lines(raw):
        line = ended.rstrip(b"\r\n")
        if line[:1] in (b" ", b"\t") and current:
            value.append(line)
            continue
        if current:
            yield (*current, b"".join(value).decode("latin-1"))
        found = _FIELD.match(line)
        if found is None:
            return
        current, value = (found[1].decode("ascii").lower(), not found[2]), [line[found.end() :]]
    if current:
        yield (*current, b"".join(value).decode("latin-1"))
