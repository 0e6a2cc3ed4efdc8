"""Splits a mail into its header and MIME parts (RFC 5322, 2045, 2046), and reads the text.

The standard library's parser recurses, and copies each part at every level. This parser scans the
bytes once, and a part is a slice of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from pbm.mail.reading import cms
from pbm.mail.reading.charsets import decode, decode_transfer, plain_lines
from pbm.mail.reading.htmltext import html_to_text
from pbm.mail.reading.limits import Limits, UnreadableMail

# RFC 5321 section 2.3.8: CR and LF only as a pair.
_NOT_ON_THE_WIRE = re.compile(rb"\r(?!\n)|(?<!\r)\n|\0")

_PACKED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pgp-encrypted"})
_FIELD = re.compile(rb"([!-9;-~]{1,100})[ \t]*:(.*)", re.DOTALL)
_VALUE_BYTES = 4_096
_PARAMETER = re.compile(
    r';[ \t]*([A-Za-z0-9_*.-]{1,40})[ \t]*=[ \t]*(?:"([^"]{0,300})"|([^\s;"]{1,300}))', re.ASCII
)
_TYPE = re.compile(
    r"[ \t]*([A-Za-z0-9.+-]{1,60}/[A-Za-z0-9.+_-]{1,80})[ \t]*(?=;|$|[ \t(])", re.ASCII
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


@dataclass(frozen=True)
class Headers:
    """The fields of one header in order, each name in lower case."""

    fields: tuple[tuple[str, bytes], ...] = ()

    def all(self, name: str, most: int = _VALUE_BYTES) -> list[str]:
        """Return the values of all fields of this name, undecoded and cut to `most` bytes each."""
        return [_text(value[:most]) for value in self._values.get(name, ())]

    def first(self, name: str, most: int = _VALUE_BYTES) -> str:
        values = self._values.get(name)
        return _text(values[0][:most]) if values else ""

    @cached_property
    def _values(self) -> dict[str, list[bytes]]:
        values: dict[str, list[bytes]] = {}
        for name, value in self.fields:
            values.setdefault(name, []).append(value)
        return values


def _text(value: bytes) -> str:
    """Decode 8-bit header text, which has no label: UTF-8 if valid, else Latin-1."""
    return decode(value, "").strip(" \t")


@lru_cache(maxsize=4)
def split_header(raw: bytes, limits: Limits) -> tuple[Headers, int]:
    """Return a mail's well-formed fields, and the index of its body. Raises UnreadableMail."""
    return _split(raw, 0, limits, of_part=False)


def _split(raw: bytes, at: int, limits: Limits, *, of_part: bool) -> tuple[Headers, int]:
    fields: list[tuple[str, list[bytes]]] = []
    most = at + limits.header_bytes
    while at < len(raw):
        end = raw.find(b"\n", at, most + 2) + 1 or min(len(raw), most + 2)
        line = raw[at:end].rstrip(b"\r\n")
        if not line:
            at = end
            break
        if end > most:
            most_kb = limits.header_bytes // 1024
            raise UnreadableMail(f"The header of this mail is larger than {most_kb} KB.")
        if line[0] in b" \t" and fields:
            fields[-1][1].append(line)
        elif (field := _FIELD.match(line)) and not (of_part and line.startswith(b"--")):
            if len(fields) == limits.header_fields:
                raise UnreadableMail(
                    f"This mail has more than {limits.header_fields} header fields."
                )
            name, value = field.groups()
            fields.append((name.decode("ascii").lower(), [value]))
        elif of_part:
            break  # in the mail's own header it is skipped, lest it hide later fields
        at = end
    return Headers(tuple((name, b"".join(lines)) for name, lines in fields)), at


@dataclass
class Part:
    """A MIME part: its declared type, and where its body is in the mail."""

    kind: str
    parameters: dict[str, str]
    encoding: str
    is_attachment: bool
    start: int
    end: int
    named: str = ""  # where the names of its file stand, in lower case
    parts: list["Part"] = field(default_factory=list)

    def walk(self) -> Iterator["Part"]:
        yield self
        for part in self.parts:
            yield from part.walk()

    @property
    def is_packed(self) -> bool:
        """Whether it is S/MIME's, signed as a whole or encrypted."""
        return self.kind in _PACKED or ".p7m" in self.named

    @property
    def boundary(self) -> str:
        return self.parameters.get("boundary", "") if self.kind.startswith("multipart/") else ""


def form_not_read(root: Part) -> str:
    """Return in which form a mail has what we cannot read: encrypted, winmail, attached or ""."""
    parts = tuple(root.walk())
    if any(part.is_packed or part.kind in _ENCRYPTED for part in parts):
        return "encrypted"
    if any(part.kind.endswith("ms-tnef") or "winmail.dat" in part.named for part in parts):
        return "winmail"
    leaves = (part for part in parts if not part.kind.startswith("multipart/"))
    return "attached" if any(p.is_attachment or p.kind[:5] != "text/" for p in leaves) else ""


def parse_content_type(value: str) -> tuple[str, dict[str, str]]:
    """Return the media type in lower case, and its parameters. A bad value is `text/plain`."""
    found = _TYPE.match(value)
    if found is None:
        return "text/plain", {}
    parameters: dict[str, str] = {}
    for match in _PARAMETER.finditer(value, found.end()):
        name = match[1].lower().rstrip("*")
        text = match[2] if match[2] is not None else match[3]
        if match[1].endswith("*"):
            text = text.rpartition("'")[2]
        parameters.setdefault(name, text)
    return found[1].lower(), parameters


@lru_cache(maxsize=4)  # a mail is read on arrival, and again in its turn
def split_mail(raw: bytes, limits: Limits) -> tuple[Headers, Part]:
    """Parse a mail to its header and its MIME part. Raises UnreadableMail."""
    headers, body = split_header(raw, limits)
    return headers, _Walk(raw, limits).run(headers, body)


class _Walk:
    def __init__(self, raw: bytes, limits: Limits) -> None:
        self._raw = raw
        self._limits = limits
        self._open: list[Part] = []
        self._leaf: Part | None = None
        self._count = 0
        self._levels: dict[bytes, int] = {}

    def run(self, headers: Headers, body: int) -> Part:
        root = self._enter(headers, body, parent_kind="")
        at = body
        while self._open:
            boundaries = [part.boundary.encode("utf-8").rstrip() for part in self._open]
            # Of open parts with equal boundaries the innermost counts.
            self._levels = {boundary: level for level, boundary in enumerate(boundaries)}
            delimiter = rb"\r?\n--(%b)(--)?[ \t]*\r?(?=\n|\Z)" % b"|".join(
                map(re.escape, boundaries)
            )
            # A delimiter begins with the line end before it.
            found = re.compile(delimiter).search(self._raw, max(at - 1, 0))
            if found is None:
                break
            at = self._divide(found)
        return root

    def _divide(self, found: re.Match[bytes]) -> int:
        """End a part at this delimiter, and begin the next part; return the index to read next."""
        level = self._levels[found[1]]
        for part in (*self._open[level + 1 :], self._leaf):
            if part is not None:
                part.end = max(part.start, found.start())
        del self._open[level + 1 :]
        self._leaf = None
        after = min(found.end() + 1, len(self._raw))
        if found[2]:
            del self._open[level:]
            return after
        headers, start = _split(self._raw, after, self._limits, of_part=True)
        parent = self._open[-1]
        parent.parts.append(self._enter(headers, start, parent.kind))
        return start

    def _enter(self, headers: Headers, start: int, parent_kind: str) -> Part:
        limits = self._limits
        self._count += 1
        if self._count > limits.parts + 1:
            raise UnreadableMail(f"This mail has more than {limits.parts} parts.")
        part = _part(headers, start, len(self._raw), parent_kind)
        if part.boundary:
            if len(self._open) == limits.depth:
                raise UnreadableMail(
                    f"The parts of this mail are nested more than {limits.depth} deep."
                )
            self._open.append(part)
        else:
            self._leaf = part
        return part


def _part(headers: Headers, start: int, end: int, parent_kind: str) -> Part:
    content_type = headers.first("content-type")
    if not content_type and parent_kind == "multipart/digest":
        content_type = "message/rfc822"
    kind, parameters = parse_content_type(content_type)
    said = headers.first("content-disposition")
    disposition, names = parse_disposition(said)
    encoding = headers.first("content-transfer-encoding", 100).lower()
    is_attachment = disposition == "attachment" or "filename" in names or "name" in parameters
    named = f"{parameters.get('name', '')} {said}".lower()
    return Part(kind, parameters, encoding, is_attachment, start, end, named)


def parse_disposition(value: str) -> tuple[str, frozenset[str]]:
    """Return the type of a `Content-Disposition` (RFC 2183) and the names of its parameters."""
    names = frozenset(match[1].lower().partition("*")[0] for match in _PARAMETER.finditer(value))
    return value.partition(";")[0].strip().lower(), names


def unflow(text: str, delete_space: bool) -> str:
    """Join lines at the soft line breaks of RFC 3676, that is, where a line ends with a blank."""
    paragraphs: list[tuple[int, list[str]]] = []
    is_soft = False
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        content = line[depth:].removeprefix(" ")
        if not is_soft or depth != paragraphs[-1][0] or content == "-- ":
            paragraphs.append((depth, []))
        is_soft = content.endswith(" ") and content != "-- "
        paragraphs[-1][1].append(content[:-1] if is_soft and delete_space else content)
    return "\n".join(
        ">" * depth + " " * (depth > 0) + "".join(pieces) for depth, pieces in paragraphs
    )


_NO_WORDS = frozenset(
    "text/calendar text/vcard text/x-vcard text/directory text/css text/rtf text/x-amp-html "
    "text/rfc822-headers text/xml".split()
)
_HTML_STARTS = ("<html", "<!doctype html")
_ENRICHED = frozenset({"text/enriched", "text/richtext"})


def _html_of_enriched(text: str) -> str:
    """Return enriched text as HTML: `<<` is a plain `<`, a single line end a blank (RFC 1896)."""
    text = re.sub("(?i)<param>[^<]*</param>", "", text.replace("&", "&amp;").replace("<<", "&lt;"))
    return re.sub(r"\n(\n+)", lambda ends: "<br>" * len(ends[1]), text)


def body_text(raw: bytes, root: Part, limits: Limits, first: str = "text/plain") -> str:
    """Return a mail's text, cut to the limits. Of alternatives those of the kind `first` count."""
    text = _Reader(raw, limits, first).read(root, is_root=True)
    return "\n".join(text[: limits.text_bytes].split("\n", limits.text_lines)[: limits.text_lines])


class _Reader:
    def __init__(self, raw: bytes, limits: Limits, first: str) -> None:
        self._raw = raw
        self._limits = limits
        self._first = first
        self._signed_left = 1
        self._left = {False: limits.text_bytes, True: limits.html_bytes}
        self._html_tags = limits.html_tags

    def read(self, part: Part, *, is_root: bool = False) -> str:
        if part.kind == "multipart/alternative" and part.parts:
            order = (self._first, "text/plain")
            in_order = sorted(part.parts, key=lambda child: [child.kind != kind for kind in order])
            return next(filter(str.strip, map(self.read, in_order)), "")
        if part.is_packed:
            return self._signed(part)
        if part.parts:
            texts = [self.read(child) for child in part.parts]
            return "\n".join(text for text in texts if text.strip())
        if part.is_attachment and not is_root:
            return ""
        if part.kind == "text/html":
            return html_to_text(self._decoded(part, is_html=True), self._html_tags)
        if part.kind.startswith(("text/", "multipart/")) and part.kind not in _NO_WORDS:
            text = plain_lines(self._decoded(part))
            if part.kind in _ENRICHED:
                text = f"<html>{_html_of_enriched(text)}"
            if text[:200].lstrip().lower().startswith(_HTML_STARTS):
                return html_to_text(text, self._html_tags)
            if part.parameters.get("format", "").lower() == "flowed":
                text = unflow(text, part.parameters.get("delsp", "").lower() == "yes")
            return text
        return ""

    def _decoded(self, part: Part, *, is_html: bool = False) -> str:
        left = self._left[is_html]
        content = self._bytes(part, left)
        self._left[is_html] -= len(content)
        return decode(content, part.parameters.get("charset", ""))

    def _bytes(self, part: Part, most: int) -> bytes:
        end = min(part.end, part.start + 4 * most)
        return decode_transfer(self._raw[part.start : end], part.encoding)[:most]

    def _signed(self, part: Part) -> str:
        """Return the text of a part that is signed as a whole, but for parts signed in it again."""
        limits, self._signed_left = self._limits, self._signed_left - 1
        most = 2 * limits.text_bytes if self._signed_left >= 0 else 0
        content = cms.signed_content(self._bytes(part, most))
        try:
            headers, at = _split(content, 0, limits, of_part=True)
            inner = _Walk(content, limits).run(headers, at)
        except UnreadableMail:
            return ""
        is_twice = any(each.is_packed for each in inner.walk())
        return "" if is_twice else body_text(content, inner, limits, self._first)
