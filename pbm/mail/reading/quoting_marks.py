"""Recognises rare quotation marks (`:`, `#`, `}`, `»`, `MQO>`), greetings and signatures.

These signs also occur in lists and smileys. So a sign counts as a quotation mark only below a line
"On … wrote:", on adjacent lines, or before the word `State:`, which begins the last line of our
mail about a board.
"""

import re
from collections import Counter
from itertools import pairwise

from pbm.mail.reading.quoting_headers import PHRASES, facts_in
from pbm.rules.contract import SHORTEST_STATE

_SIGN = re.compile(r" {0,3}([:#}])(?: |$|-- )")
_SMILEY = re.compile(r" {0,3}: \S$")
_INITIALS = re.compile(r" {0,8}([A-Z][A-Za-z.']{1,11})>")
LABEL = "State:"  # begins the last line of a board's mail, which is folded
_BEFORE_OURS = re.compile(
    rf" {{0,3}}([^\w\s\"'*]{{1,2}}[ \t]{{0,2}}){LABEL}(?: |\n {{0,3}}\1)[!-~]{{{SHORTEST_STATE},}}",
    re.ASCII,
)
_MOST_MARKS = 4  # of one mail
_ENDING = "»"  # before an empty line; before others a blank follows
_INTRODUCTION_LINES = 3
_FEWEST_FACTS = {":": 1, "}": 1, "#": 2}  # in the introduction above; lists have a `#`, too
# "[...]", "<snip>", "--- 8< ---"
_LEFT_OUT = re.compile(
    r"[\[(<{*]?\s?(?:\.{2,6}|…)\s?[\])>}*]?$"
    r"|[\[(<{*][\s.\u2026-]{0,5}(?:snip(?:ped)?|cut|del)\b.{0,40}[\])>}*]$"
    r"|[-=~ ]{0,40}(?:snip(?:ped)?|8<)[-=~ .]{0,40}$",
    re.IGNORECASE,
)
_GREETING = re.compile(r"[^\W\d][^\d@:;.?<>]{1,39}$")
_GREETING_WORDS = 4
_GREETING_ENDS = (",", "!", "，", "！")
_GREETINGS = "|".join(map(re.escape, PHRASES["greeting"]))
_HELLO = re.compile(rf"(?:{_GREETINGS})(?!\w)")


def is_left_out(line: str) -> bool:
    """Return whether the line is a note of an omission, such as `[...]`."""
    return _LEFT_OUT.match(line) is not None


def is_greeting(line: str) -> bool:
    if not _GREETING.match(line) or len(line.split()) > _GREETING_WORDS:
        return False
    return line.endswith(_GREETING_ENDS) or _HELLO.match(line.casefold()) is not None


def is_marked(line: str) -> bool:
    return line.startswith(">") or _INITIALS.match(line) is not None


def lesser_marked(lines: list[str]) -> set[int]:
    """Return the indexes of lines that are quoted with one of the rare quotation marks."""
    found = _below_introductions(lines) | _initialled(lines) | _as_ours(lines)
    return found | {
        at
        for at, line in enumerate(lines)
        if line == _ENDING
        and any(near.startswith(f"{_ENDING} ") for near in lines[max(0, at - 1) : at + 2])
    }


def _as_ours(lines: list[str]) -> set[int]:
    """Return the indexes of lines quoted with the same mark as the `State:` line of our mail."""
    last = (
        _BEFORE_OURS.match("\n".join(lines[at : at + 2]))
        for at, line in enumerate(lines)
        if LABEL in line
    )
    marks = tuple(dict.fromkeys(found[1] for found in last if found))[:_MOST_MARKS]
    alone = {mark.rstrip() for mark in marks}
    return {
        at
        for at, line in enumerate(lines if marks else ())
        if line.lstrip(" ").startswith(marks) or line.strip() in alone
    }


def _below_introductions(lines: list[str]) -> set[int]:
    """Return the indexes of lines whose quotation sign also begins a line below "… wrote:"."""
    signs = {at: match[1] for at, line in enumerate(lines) if (match := _SIGN.match(line))}
    used = {
        sign
        for at, sign in signs.items()
        if signs.get(at - 1) != sign and _is_introduced(lines, at, _FEWEST_FACTS[sign])
    }
    return {
        at
        for at, sign in signs.items()
        if sign in used
        and (sign in (signs.get(at - 1), signs.get(at + 1)) or not _SMILEY.match(lines[at]))
    }


def _is_introduced(lines: list[str], at: int, fewest_facts: int) -> bool:
    if at and not lines[at - 1].strip():
        at -= 1  # one blank line may be between
    above: list[str] = []
    for line in reversed(lines[max(0, at - _INTRODUCTION_LINES) : at]):
        if not line.strip():
            return False
        above.insert(0, line.strip())
        if facts_in(above) >= fewest_facts:
            return True
    return False


def _initialled(lines: list[str]) -> set[int]:
    """Return the indexes of lines that begin with a writer's initials, such as `JD> Hi`."""
    initials = {at: match[1] for at, line in enumerate(lines) if (match := _INITIALS.match(line))}
    together = Counter(
        initials[below]
        for at, below in pairwise(initials)
        if initials[at] == initials[below] and below == at + 1
    )
    return {at for at, name in initials.items() if together[name]}


_FENCE = re.compile(r"([-=*~#+_\u2013\u2014\u2500])\1{4,}$")
_MOST_LINES = 8
_LONGEST_LINE = 76
_LONGEST_NAME = 40
_REACHED = re.compile(
    r"[^\s@]@[^\s@]|https?://|www\.|\+?\d[\d ()/.-]{6,}\d|mailing list|unsubscribe", re.IGNORECASE
)
_NO_NAME = re.compile(r"\d|[.,:;!?…]$|^[-*] ")
_EXCLAIMED = ("!", "?")


def is_fence(line: str) -> bool:
    """Return whether the line is only a row of dashes, stars or the like."""
    return _FENCE.match(line) is not None


def is_signature(below: list[str]) -> bool:
    """Return whether the non-blank lines below a row of dashes look like a signature."""
    if not 0 < len(below) <= _MOST_LINES:
        return False
    if any(len(line) > _LONGEST_LINE or line.endswith(_EXCLAIMED) for line in below):
        return False
    return any(map(reaches_somebody, below)) or all(map(is_name, below))


def reaches_somebody(line: str) -> bool:
    return _REACHED.search(line) is not None


def is_name(line: str) -> bool:
    is_short = len(line) <= _LONGEST_NAME and not line[0].islower()
    return is_short and _NO_NAME.search(line) is None
