"""The kept mails of ours, and what mail programs make of them when they quote or break lines."""

import email
import re
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from pathlib import Path
from textwrap import wrap

from pbm.mail.reading.quoting import find_own_words

_LINK = re.compile(r'<a\s+href="([^"]*)">([^<]*)</a>')
_FOLDER = Path(__file__).parents[2] / "golden" / "mails"


def own_words(text: str) -> tuple[str, ...]:
    """The lines of a text that its author wrote for this mail."""
    return find_own_words(text).lines


@dataclass(frozen=True)
class OurMail:
    """One kind of mail: its subject and both of its parts."""

    name: str
    subject: str
    text: str
    html: str

    @property
    def is_a_boards(self) -> bool:
        """Does it end with a board's last line?"""
        return "\nState:" in self.text


def unfolded(text: str) -> str:
    """A mail whose last line is not folded, as earlier versions sent it."""
    return re.sub(r"^State:\n(.+)\n(.+)", r"State: \1 \2", text, flags=re.MULTILINE)


def our_mails() -> list[OurMail]:
    """Every kind that is kept."""
    found = []
    for file in sorted(_FOLDER.glob("*.eml")):
        mail = email.message_from_bytes(file.read_bytes())
        parts = {part.get_content_type(): part.get_payload(decode=True) for part in mail.walk()}
        text, html = parts["text/plain"], parts["text/html"]
        assert isinstance(text, bytes)
        assert isinstance(html, bytes)
        found.append(
            OurMail(file.stem, str(mail["Subject"]), _lines(text).rstrip("\n"), _lines(html))
        )
    return found


def _lines(part: bytes) -> str:
    return part.decode("utf-8").replace("\r\n", "\n")


def quoted(text: str, mark: str = "> ") -> str:
    """Every line with a mark before it."""
    return "\n".join((mark + line).rstrip() for line in text.split("\n"))


def broken(text: str, width: int) -> str:
    """Each line that is too long broken, as programs do that keep line ends."""
    return "\n".join(part for line in text.split("\n") for part in _broken(line, width))


def _broken(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    if line.isprintable() and line[-1:].strip() and len(indent + line) <= width:
        return [indent + line]  # as `wrap` does it, which takes a hundred times as long
    return _wrapped(line, width, indent) or [""]


@lru_cache(maxsize=1 << 15)  # most stand in many mails, and in both of their parts
def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(text, width, initial_indent=indent, break_long_words=False)


def refilled(text: str, width: int) -> str:
    """Each paragraph filled anew, as programs do that take line ends for blanks."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return "\n\n".join("\n".join(_wrapped(p, width)) for p in paragraphs)


def without_marks(html: str) -> str:
    """The HTML part as Outlook's own text part has it: nothing tells what was a quotation."""
    body = html.partition("<body>")[2].partition("</body>")[0]
    for tag in ("</p>", "</pre>", "</ul>", "</blockquote>"):
        body = body.replace(tag, "\n\n")
    body = body.replace("<br>", "\n").replace("<li>", "*\t").replace("</li>", "\n")
    body = re.sub(r"<p style=[^>]+>|</?span[^>]*>", "", body)
    body = _LINK.sub(r"\2<\1>", body)
    for tag in (
        "<p>",
        "<pre>",
        '<pre style="white-space:pre-wrap">',
        "<ul>",
        '<ul class="rows">',
        "<blockquote>",
    ):
        body = body.replace(tag, "")
    return unescape(body).strip("\n")
