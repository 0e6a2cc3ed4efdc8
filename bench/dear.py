"""The dearest mails that can be found: bodies put together at random, the slowest to read kept."""

import random
import time
from collections.abc import Callable

from bench import season
from pbm.mail.reading.inbound import read

_BODIES = 400  # that are tried, half of them in HTML
_KEPT = 20
_TEXT_BYTES, _HTML_BYTES = 65_536, 60_000
_ATOMS = (
    *("a:\n", "From: a\n", "a\n", "\n", "> x\n", "--\n", "On a wrote:\n", "On ", "wrote:", " "),
    *("State: x\n", "move 12 a1-c3,d4\n", "--- x ---\n", "_" * 20 + "\n", "| x\n", "*a*\n"),
    *("\u200b", "\u00e4\n", "Subject: a\n", "Sent: 2026-11-21 10:10\n", "a@b.example ", "x" * 90),
    *("I- . . . . .\n", "12. a1\n"),
)
_TAGS = (
    *("<div>", "</div>", "<ul><li>", "<ol><li>a", "<blockquote>", "<table><tr><td>", "<p>a"),
    *("<b>", "<pre>\n", "<span style='color:red;font-size:1px'>a</span>", "a", " ", "&amp;"),
    *("<!--x-->", "<div class=gmail_quote>", "<div style='border-left:solid'>", "<a href=x>"),
    *("</table>", "<hr>", "<br>"),
)


def dearest(seed: int = 1) -> list[tuple[str, str]]:
    """Some bodies, dearest first, each with the kind of its text: plain or html."""
    chance = random.Random(seed)
    bodies = [_body(chance, is_html=number % 2 == 1) for number in range(_BODIES)]
    return sorted(bodies, key=lambda body: -_seconds(_reading(*body)))[:_KEPT]


def mail(kind: str, body: str, *, author: str, to: str, number: int) -> bytes:
    """A mail with such a body; no two numbers are the same mail."""
    lines = body.replace("\n", "\r\n").replace("\r\n.", "\r\n..")
    return (
        f"From: {author}\r\nTo: {to}\r\nSubject: hello\r\n"
        f"Message-ID: <dear.{number}@flood.example>\r\n"
        f"MIME-Version: 1.0\r\nContent-Type: text/{kind}; charset=utf-8\r\n"
        f"Content-Transfer-Encoding: 8bit\r\n\r\n{lines}\r\n"
    ).encode()


def _body(chance: random.Random, *, is_html: bool) -> tuple[str, str]:
    """One to four pieces, over and over."""
    size = _HTML_BYTES if is_html else _TEXT_BYTES
    pieces = "".join(chance.choices(_TAGS if is_html else _ATOMS, k=chance.randint(1, 4)))
    return ("html" if is_html else "plain"), (pieces * size)[:size]


def _reading(kind: str, body: str) -> Callable[[], object]:
    raw = mail(kind, body, author="a@x.example", to=season.SERVER, number=0)
    return lambda: read(raw, envelope_sender="a@x.example", own_address=season.SERVER)


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
