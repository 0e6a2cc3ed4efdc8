"""The lines above a quotation: "On … wrote:", and the block of From, Sent, To, Subject."""

import re

from pbm.mail.quoting_words import FIELD_NAMES, OPENERS, WEEKDAYS, WROTE, WROTE_ANYWHERE

_MOST_LINES = 4
_LONGEST = 500
_FIELD_LINES = 12
_LONGEST_NAME = 30

_VERB = re.compile(rf"(?<!\w)(?:{WROTE})(?!\w)|{WROTE_ANYWHERE}")
_LAST_VERB = re.compile(rf"(?:(?<!\w)(?:{WROTE})|{WROTE_ANYWHERE})$")
_VERB_AND_COLON = re.compile(rf"(?:(?<!\w)(?:{WROTE})|{WROTE_ANYWHERE})\s?[:：]\s")
_ADDRESS = re.compile(r"[^\s@<>]@[^\s@<>]")
_DATE = re.compile(
    r"\d{1,2}[:.h]\d{2}|(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2}|[年月日년월일]|[٠-٩۰-۹]{2}"
)
_WROTE_IN = " wrote in"  # S-nail, which names the Message-ID on the next line
_COLONS = (":", "：")
_WORD = re.compile(r"[\w.]+")


def next_words(lines: list[str]) -> list[int]:
    """For each line, and for the end, the first line from there on that isn't blank."""
    found = [len(lines)] * (len(lines) + 1)
    for at in range(len(lines) - 1, -1, -1):
        found[at] = at if lines[at].strip() else found[at + 1]
    return found


def attribution_end(lines: list[str], quoted: list[bool], following: list[int], at: int) -> int:
    """The line after an "On … wrote:" that begins at `at` and may be folded; else `at`.

    `following` is `next_words(lines)`; `quoted` tells which lines are marked as quoted.
    """
    window: list[str] = []
    for end in range(at, min(at + _MOST_LINES, len(lines))):
        line = lines[end].strip()
        if quoted[end] or not line or len(line) > _LONGEST:
            return at
        window.append(line)
        below = following[end + 1]
        is_above_quote = below < len(lines) and quoted[below]
        if end == at and _runs_on(line):
            return end + 1
        if not _may_close(line, is_above_quote):
            continue
        if _introduces(window, is_above_quote):
            return end + 1 if _begins(window, is_above_quote) else at
    return at


def _runs_on(line: str) -> bool:
    """Does the quotation begin on the line itself, as with Yahoo's app ("… wrote:   hello")?"""
    if "@" not in line:
        return False
    folded = line.casefold()
    verb = _VERB_AND_COLON.search(folded)
    if verb is None:
        return False
    before = folded[: verb.start()]
    return _ADDRESS.search(before) is not None and _DATE.search(before) is not None


def _may_close(line: str, is_above_quote: bool) -> bool:
    """Does it end like the last line of an attribution? Some end without a colon."""
    line = line.rstrip("- ")
    return (
        line.endswith(_COLONS)
        or _LAST_VERB.search(line[-_LONGEST_NAME:].casefold()) is not None
        or (is_above_quote and line.endswith(">"))
    )


def _begins(window: list[str], is_above_quote: bool) -> bool:
    """Does the attribution begin with the first of these lines, or with a later one?"""
    shorter = [window[n:] for n in range(1, len(window))]
    if not any(_introduces(lines, is_above_quote) for lines in shorter) or _opens(window[0]):
        return True
    # Nearly all have a date: if there is none further down, it is this one.
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
    if _VERB.search(folded) is None or not folded.endswith(_COLONS):
        return False
    return has_address or has_date or is_above_quote


def _opens(line: str) -> bool:
    """Does it look like the first line of a folded "On … wrote:"?"""
    folded = line.casefold()
    has_address = _ADDRESS.search(folded) is not None
    has_date = _has_date(folded)
    if has_address and (has_date or folded.endswith(">")):
        return True
    if folded.endswith(_WROTE_IN):
        return True
    words = _WORD.findall(folded[:40])
    if not words:
        return False
    first = words[0]
    starts = first in OPENERS or first.rstrip(".") in WEEKDAYS or first[0].isdigit()
    return starts and (has_date or has_address)


def field_kind(line: str) -> str:
    """Which field of a quoted mail's header the line is, in any language; else an empty text."""
    head, colon, _ = line[: _LONGEST_NAME + 1].replace("：", ":").partition(":")
    if not colon:
        return ""
    return FIELD_NAMES.get(head.strip(" \t*_\u00a0|>").casefold(), "")


def field_block_end(lines: list[str], following: list[int], at: int) -> int:
    """The line after a block of header fields that begins at `at`; 0 if there is none.

    It takes three kinds of fields with a sender among them, or the sender's address and one
    more: nobody begins an answer so.
    """
    if not field_kind(lines[at]):
        return 0
    kinds: set[str] = set()
    end = at
    has_address = False
    line_at = at
    for _ in range(_FIELD_LINES):
        if line_at >= len(lines):
            break
        kind = field_kind(lines[line_at])
        if kind:
            kinds.add(kind)
            end = line_at + 1
            if kind == "from":
                has_address = _ADDRESS.search(lines[line_at][:_LONGEST]) is not None
        elif end != line_at:
            break
        line_at = following[line_at + 1]
    enough = 2 if has_address else 3
    return end if "from" in kinds and len(kinds) >= enough else 0
