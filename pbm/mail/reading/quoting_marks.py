"""Recognises what shows that lines are quoted: the lines above a quotation, and rare marks.

Above a quotation stands "On … wrote:", or a block of From, Sent, To, Subject. Rare marks are `:`,
`#`, `}`, `»`, `MQO>`, which also occur in lists and smileys. So a sign counts as a quotation mark
only below a line "On … wrote:", on adjacent lines, or before the word `State:`, which begins the
last line of our mail about a board.
"""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Final

from pbm.rules.contract import SHORTEST_STATE
from pbm.word_lists import read_sections

_FOLDER: Final = Path(__file__).with_name("languages")
_NEXT_WORD: Final = "…"  # at the end of a phrase, after a blank: a word must follow


_SECTIONS: Final = (
    *("wrote", "wrote inside", "attribution start", "weekday", "field from", "field sent"),
    *("field to", "field other", "field subject", "original", "forwarded", "forward sentence"),
    *("footer start", "footer end", "device", "greeting", "closing"),
    *("robot subject", "robot subject start", "subject mark", "reacted", "reacted to"),
)


def read_phrases(folder: Path) -> dict[str, tuple[str, ...]]:
    """Read the casefolded phrases of each section from a folder. Raises WordListError, OSError."""
    return read_sections(
        folder, _SECTIONS, lambda line: (line.casefold().removesuffix(_NEXT_WORD),)
    )


PHRASES: Final = read_phrases(_FOLDER)


_MOST_LINES = 4
_LONGEST = 500
_FIELD_LINES = 12
_LONGEST_NAME = 30
_FEWEST_UNKNOWN = 3
_DATE_BY = 3  # the date is within the first fields

_FIELD_NAMES = {
    name: kind
    for kind in ("from", "sent", "to", "other", "subject")
    for name in PHRASES[f"field {kind}"]
}
_ATTRIBUTION_STARTS = frozenset(PHRASES["attribution start"])
_WEEKDAYS = frozenset(PHRASES["weekday"])
_WROTE = "|".join(map(re.escape, PHRASES["wrote"]))
_WROTE_INSIDE = "|".join(map(re.escape, PHRASES["wrote inside"]))
_VERB = re.compile(rf"(?<!\w)(?:{_WROTE})(?!\w)|{_WROTE_INSIDE}")
_LAST_VERB = re.compile(rf"(?:(?<!\w)(?:{_WROTE})|{_WROTE_INSIDE})$")
_LAST_LETTERS = frozenset(verb[-1] for verb in PHRASES["wrote"] + PHRASES["wrote inside"])
_VERB_AND_COLON = re.compile(rf"(?:(?<!\w)(?:{_WROTE})|{_WROTE_INSIDE})\s?[:：]\s")
_COLON_WITHIN = re.compile(r"[:：]\s")
_ADDRESS = re.compile(r"[^\s@<>]@[^\s@<>]")
_DATE = re.compile(
    r"\d{1,2}[:.h]\d{2}|(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2}|[年月日년월일]|[٠-٩۰-۹]{2}"
)
_WROTE_IN = " wrote in"  # S-nail, which names the Message-ID on the next line
_COLONS = (":", "：")
_WORD = re.compile(r"[\w.]+")
_NO_NAME = re.compile(r"[\d@/,]")
# Some programs put only the day and the sender above a quotation.
_DAY_AND_SENDER = re.compile(r"\d{4}[/-]\d{1,2}[/-]\d{1,2}\b.{1,200}<[^<>\s]{1,200}@[^<>\s]*>:?$")
_MOST_NAMES = 4
_NAME = re.compile(r"[^\W\d_][\w.'\u2019-]*$")
_PAST = "ed"  # "elucidated", "exclaimed": an English verb that is in no list


def next_words(lines: list[str]) -> list[int]:
    """Return for each line the index of the first non-blank line at or below it.

    If there is no such line, the index is `len(lines)`. One more item is for the end of the text.
    """
    found = [len(lines)] * (len(lines) + 1)
    for at in range(len(lines) - 1, -1, -1):
        found[at] = at if lines[at].strip() else found[at + 1]
    return found


def attribution_end(lines: list[str], quoted: list[bool], following: list[int], at: int) -> int:
    """Return the index below a line "On … wrote:" that begins at `at`; it may be folded.

    Return `at` if there is no such line. `following` is `next_words(lines)`.
    """
    window: list[str] = []
    for end in range(at, min(at + _MOST_LINES, len(lines))):
        line = lines[end].strip()
        if quoted[end] or not line or len(line) > _LONGEST:
            return at
        window.append(line)
        below = following[end + 1]
        is_above_quote = below < len(lines) and quoted[below]
        if end == at and (_runs_on(line) or _DAY_AND_SENDER.match(line)):
            return end + 1
        if not _may_close(line, is_above_quote):
            continue
        if _introduces(window, is_above_quote):
            if not _begins(window, is_above_quote):
                return at
            end += 1
            return end + (end < len(lines) and lines[end].strip() in _COLONS)  # folded off
    return at


def is_name(line: str) -> bool:
    """Return whether a line looks like "Jo Doe opined:". It may still be the author's own text."""
    if not line.endswith(_COLONS) or len(line) > _LONGEST_NAME:
        return False
    words = line[:-1].split()
    if not 1 < len(words) <= _MOST_NAMES or not all(map(_NAME.match, words)):
        return False
    *names, last = words
    return all(name[0].isupper() for name in names) and (last[0].isupper() or last.endswith(_PAST))


def facts_in(introduction: list[str]) -> int:
    """Count the kinds of facts in a line like "On … wrote:": an address, a date, a verb."""
    folded = " ".join(introduction)[:_LONGEST].casefold()
    if not folded.endswith(_COLONS):
        return 0
    told = (_ADDRESS.search(folded), _DATE.search(folded), _VERB.search(folded))
    return sum(found is not None for found in told)


def _runs_on(line: str) -> bool:
    """Return whether a line has "On … wrote:" and also the first words of the quotation."""
    if "@" not in line or _COLON_WITHIN.search(line) is None:
        return False
    folded = line.casefold()
    verb = _VERB_AND_COLON.search(folded)
    if verb is None:
        return False
    before = folded[: verb.start()]
    return _ADDRESS.search(before) is not None and _DATE.search(before) is not None


def _may_close(line: str, is_above_quote: bool) -> bool:
    line = line.rstrip("- ")
    if line.endswith(_COLONS) or (is_above_quote and (line.endswith(">") or _has_date(line))):
        return True
    end = line[-_LONGEST_NAME:].casefold()
    return end[-1:] in _LAST_LETTERS and _LAST_VERB.search(end) is not None


def _begins(window: list[str], is_above_quote: bool) -> bool:
    """Return whether "On … wrote:", which ends in the last line, begins in the first line."""
    if len(window) == 1 or window[1].startswith("<") or window[0].endswith("<"):
        return True
    shorter = [window[n:] for n in range(1, len(window))]
    if not any(_introduces(lines, is_above_quote) for lines in shorter) or _is_likely_start(window):
        return True
    # Nearly every attribution has a date, so the only line with one belongs to it.
    return _has_date(window[0]) and not any(map(_has_date, window[1:]))


def _has_date(line: str) -> bool:
    return _DATE.search(line.casefold()) is not None


def _introduces(window: list[str], is_above_quote: bool) -> bool:
    text = " ".join(window)
    if len(text) > _LONGEST:
        return False
    folded = text.casefold()
    has_address = _ADDRESS.search(folded) is not None
    has_date = _has_date(folded)
    if has_address and has_date:
        return True
    if not folded.endswith(_COLONS):
        return False
    tells_whom_or_when = has_address or has_date
    if tells_whom_or_when == is_above_quote:
        return is_above_quote
    return _VERB.search(folded) is not None  # which makes up for the missing one


def _is_likely_start(window: list[str]) -> bool:
    folded = window[0].casefold()
    has_address = _ADDRESS.search(folded) is not None
    has_date = _has_date(folded)
    if has_address and (has_date or folded.endswith(">") or _VERB.search(folded)):
        return True
    if has_address and "<" in folded and _is_full(window):
        return True
    if folded.endswith(_WROTE_IN):
        return True
    words = _WORD.findall(folded[:40])
    if not words:
        return False
    first = words[0]
    starts = first in _ATTRIBUTION_STARTS or first.rstrip(".") in _WEEKDAYS or first[0].isdigit()
    return starts and (has_date or has_address or _is_full(window))


def _is_full(window: list[str]) -> bool:
    """Return whether the first line seems wrapped, as the next word would make it the longest."""
    next_word = window[1].split(maxsplit=1)[0]
    return len(window[0]) + 1 + len(next_word) > max(map(len, window))


def field_names(lines: list[str]) -> list[str]:
    """Return the casefolded text before a colon near the start of each line, or "" without one."""
    parts = (line[: _LONGEST_NAME + 1].replace("：", ":").partition(":") for line in lines)
    return [head.strip(" \t*_\u00a0|>").casefold() if colon else "" for head, colon, _ in parts]


def field_block_end(lines: list[str], names: list[str], following: list[int], at: int) -> int:
    """Return the index below a block of header fields at `at`, or 0 if there is none.

    `names` is `field_names(lines)`, and `following` is `next_words(lines)`.
    """
    kinds: set[str] = set()
    end = line_at = at
    enough = 3
    for _ in range(_FIELD_LINES if names[at] in _FIELD_NAMES else 0):
        if line_at >= len(lines):
            break
        if kind := _FIELD_NAMES.get(names[line_at], ""):
            kinds.add(kind)
            end = line_at + 1
            if kind == "from":
                enough = 2 if _ADDRESS.search(lines[line_at][:_LONGEST]) else 3
        elif end != line_at:
            break
        line_at = following[line_at + 1]
    if "from" in kinds and len(kinds) >= enough:
        return end
    return _unknown_block_end(lines, names, following, at)


def _unknown_block_end(lines: list[str], names: list[str], following: list[int], at: int) -> int:
    """Return the index below header fields in an unknown language, or 0 if none begin at `at`."""
    if "@" not in lines[at] or _ADDRESS.search(lines[at][:_LONGEST]) is None:
        return 0
    found: list[str] = []
    has_date = False
    end = line_at = at
    while line_at < len(lines) and len(found) < _FIELD_LINES:
        name = names[line_at]
        if not name or name in found or _NO_NAME.search(name):
            break
        found.append(name)
        has_date = has_date or (len(found) <= _DATE_BY and _has_date(lines[line_at][:_LONGEST]))
        end = line_at + 1
        line_at = following[end]
    return end if has_date and len(found) >= _FEWEST_UNKNOWN else 0


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
