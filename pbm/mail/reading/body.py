"""The text of a mail: selects the parts to read, and decodes them."""

import binascii

from pbm.mail.reading.charsets import decode, decode_base64, plain_lines
from pbm.mail.reading.htmltext import html_to_text
from pbm.mail.reading.limits import Limits
from pbm.mail.reading.mime import Part


def unflow(text: str, delete_space: bool) -> str:
    """Join the soft line breaks of `text` and undo its space-stuffing (format=flowed).

    Quoted lines keep their marks, one blank after them. `delete_space` (`DelSp=yes`): the blank of
    a soft break is no part of the text.
    """
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


_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= \t\r\n"

_HTML_STARTS = ("<html", "<!doctype html")


def body_text(raw: bytes, root: Part, limits: Limits) -> str:
    """The text parts of a mail, or its HTML parts as text if those are empty, up to the limits."""
    text = _Reader(raw, limits).read(root, is_root=True)
    return "\n".join(text[: limits.text_bytes].split("\n", limits.text_lines)[: limits.text_lines])


class _Reader:
    def __init__(self, raw: bytes, limits: Limits) -> None:
        self._raw = raw
        self._left = {False: limits.text_bytes, True: limits.html_bytes}
        self._html_tags = limits.html_tags

    def read(self, part: Part, *, is_root: bool = False) -> str:
        if part.kind == "multipart/alternative" and part.parts:
            plain_first = sorted(part.parts, key=lambda child: child.kind != "text/plain")
            return next(filter(str.strip, map(self.read, plain_first)), "")
        if part.parts:
            texts = [self.read(child) for child in part.parts]
            return "\n".join(text for text in texts if text.strip())
        if part.is_attachment and not is_root:
            return ""
        if part.kind == "text/html":
            return html_to_text(self._decoded(part, is_html=True), self._html_tags)
        if part.kind == "text/plain" or part.kind.startswith("multipart/"):
            text = plain_lines(self._decoded(part))
            if text[:200].lstrip().lower().startswith(_HTML_STARTS):
                return html_to_text(text, self._html_tags)
            if part.parameters.get("format", "").lower() == "flowed":
                text = unflow(text, part.parameters.get("delsp", "").lower() == "yes")
            return text
        return ""

    def _decoded(self, part: Part, *, is_html: bool = False) -> str:
        left = self._left[is_html]
        end = min(part.end, part.start + 4 * left)
        content = decode_transfer(self._raw[part.start : end], part.encoding)[:left]
        self._left[is_html] -= len(content)
        return decode(content, part.parameters.get("charset", ""))


def decode_transfer(raw: bytes, encoding: str) -> bytes:
    """Decode a transfer encoding (RFC 2045, section 6); text that is not encoded is kept."""
    if encoding.startswith("quoted-printable"):
        return binascii.a2b_qp(raw)
    if encoding.startswith("base64") and _looks_like_base64(raw):
        return decode_base64(raw)
    return raw


def _looks_like_base64(raw: bytes) -> bool:
    """Whether bytes before the padding look like base64; mailing lists append plain footers."""
    head = raw.partition(b"=")[0].strip()
    if b" " in head:
        return False
    return len(head.translate(None, _BASE64)) * 20 <= len(head)
