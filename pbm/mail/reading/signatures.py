"""Finds signatures without the usual mark `-- `, and the author's name right above that mark.

A contact detail is a line, or a part of it, with a firm or a way to reach somebody. Signatures are:

- a closing line such as "Best regards", or the author's name, above a contact detail;
- the author's name, perhaps with a title, above a mark `-- ` with a contact detail below;
- any other name above at least two contact details, one of them a firm or a telephone number;
- a few lines below a row of dashes, if they are names or one tells how to reach somebody.

Other text is kept, as it may be meant for the reader. But if two mails of an author end with the
same lines, these are a signature. `possible_starts` tells from which lines on a caller that has
both mails should compare them.
"""

import re
from collections.abc import Sequence
from typing import Final

from pbm.mail.reading.quoting_marks import PHRASES

CLOSINGS: Final = frozenset(PHRASES["closing"])
_CLOSING_STARTS = tuple(phrase for phrase in CLOSINGS if phrase.endswith(" "))
_MOST_LINES = 12
_LONGEST_LINE = 100
_LONGEST_NOTICE = 1_000  # a line, such as a legal notice
_FEWEST_TELLING = 2
_FEWEST_SURE = 3  # lines below the first
_AROUND = " .,!-\u2013\u2014*_"
_FIRM = re.compile(
    r"\b(?:GmbH|AG|KG|UG|OHG|Inc|INC|Ltd|LTD|LLC|LLP|PLC|plc|Corp|S\.?A\.?S?|S\.?L|S\.?R\.?L"
    r"|S\.?r\.?l|S\.?[Pp]\.?A|B\.?V|N\.?V|AB|Oy|OY|A/S|ApS|Kft|s\.r\.o|Sp\. z o\.o)(?!\w)"
    r"|\S [|•·] \S"
    r"|^(?i:tel|phone|fon|fax|mobile?|cell|tlf|tél|telefon|telefono|teléfono|handy)\b[.: ]*\+?[\d(]"
)
_FENCE = re.compile(r"([-=*~#+_\u2013\u2014\u2500])\1{4,}$")
_FENCED_LINES, _LONGEST_FENCED = 8, 76  # below a row of dashes
_EXCLAIMED = ("!", "?")
_LONGEST_NAME = 40
_NO_NAME = re.compile(r"\d|[.,:;!?…]$|^[-*] ")
_REACHED = re.compile(
    r"[^\s@]@[^\s@]|https?://|www\.|\+?\d[\d ()/.-]{6,}\d|mailing list|unsubscribe", re.IGNORECASE
)
_ON_BEHALF = re.compile(r"^(?:[iI]\.? ?[aAvV]\.|ppa\.?) ?(?=[A-ZÄÖÜ])")
_PHONE = re.compile(r"\+?\d[\d ()/.-]{6,}\d")
_POSTSCRIPT = re.compile(r"(?:p\.?){1,2} ?s\b", re.IGNORECASE)
_ASKS_OR_CALLS = ("!", "?", "…")
_FEW_WORDS = 6
_BAR = re.compile(r" [|•·] ")
_MOST_BARS = 8  # of a line; a longer rest is a sentence
_MOST_NAMES = 2
_WORD = re.compile(r"[^\W\d_]{2,}")
IN_NAMES: Final = frozenset(
    "af al an and da de del della der di do dos du el en et la le of ten und van von zu".split()
)


def signature_in(
    lines: Sequence[str], below_mark: Sequence[str] = (), author: frozenset[str] = frozenset()
) -> tuple[int, int]:
    """Return the index of a signature's first line, and that of the line below the signature.

    Without a signature both are `len(lines)`. A postscript may follow a signature. `below_mark` are
    the lines below a mark such as `-- `. `author` are the words of the author's name.
    """
    last = len(lines)
    if (start := _start(lines, below_mark, author)) < last:
        return start, last
    closing = next((at for at in reversed(range(last)) if is_closing(lines[at])), 0)
    ends = [at for at in range(closing + 1, last) if _is_sentence(lines[at].strip())]
    for end in ends[-_MOST_LINES:]:
        start = _start(lines[:end], (), author)
        if _has_firm(lines[start:end]):
            below = (at for at in range(end, last) if _is_below(lines[at - 1], lines[at]))
            return start, next(below, last)
    return last, last


def possible_starts(lines: Sequence[str]) -> list[int]:
    """Return the indexes of lines at which a signature at the end of the text may begin.

    Such a line is a closing line like "Best regards", or begins a paragraph without sentences.
    """
    written = [at for at, line in enumerate(lines) if line.strip()][1:][-_MOST_LINES:]
    starts, are_names = list[int](), True
    for below, at in enumerate(reversed(written)):
        if len(lines[at]) > _LONGEST_NOTICE:
            break
        is_long = below >= _FEWEST_SURE or (below == _FEWEST_TELLING and are_names)
        is_block = not lines[at - 1].strip() and bool(_block_lines(lines[at:]))
        if is_long and (is_block or is_closing(lines[at])):
            starts.append(at)
        are_names = are_names and _are_of_names(_WORD.findall(lines[at]), frozenset())
    return starts[::-1]


def _is_below(above: str, line: str) -> bool:
    return not above.strip() or _POSTSCRIPT.match(line.strip()) is not None


def _start(lines: Sequence[str], below_mark: Sequence[str], author: frozenset[str]) -> int:
    """Return the index of the first line of a signature, or `len(lines)` without a signature."""
    is_told = any(map(_tells, below_mark))
    # Never the first line of a mail: it may be "Thanks" above an answer.
    written = [at for at, line in enumerate(lines) if line.strip()][1:][-_MOST_LINES:]
    closing = next((at for at in reversed(written) if is_closing(lines[at], author)), -1)
    if closing > 0:
        line = lines[closing]
        named = "" if is_closing(line) else line.split()[-1]
        signed = [line.partition(",")[2] or named, *lines[closing + 1 :]]
        if any(map(_tells, _block_lines(signed[1:]))) or (is_told and _are_names(signed, author)):
            return closing
    written = [at for at in written if at > closing]
    for at in written:
        told = _block_lines(lines[at:])
        if told and _begins(_BAR.split(told[0])[0], author):
            is_title = len(told) == 1 or _are_names(told[1:], author)
            if any(map(_tells, told)) or (is_told and is_title):
                return at
    for at in reversed(written):
        above, is_block = lines[at - 1].strip(), _is_block(lines[at:])
        if is_block and (above.endswith(",") or not above or _is_sentence(above)):
            return at
        if not above or _is_sentence(above):
            break
    return len(lines)


def is_closing(line: str, author: frozenset[str] = frozenset()) -> bool:
    """Return whether a line is a closing phrase such as "Best regards", perhaps with a name."""
    formula = line.partition(",")[0].strip(_AROUND).casefold()
    plain = " ".join(word for word in formula.split() if word not in author)
    is_start = formula.startswith(_CLOSING_STARTS) and not line.endswith("!")
    return formula in CLOSINGS or plain in CLOSINGS or is_start


def name_words(author: str) -> frozenset[str]:
    """Return the words, in lower case, of a name in a `From` field."""
    return frozenset(_WORD.findall(author.casefold()))


def _are_names(lines: Sequence[str], author: frozenset[str]) -> bool:
    names = [line.strip() for line in lines if line.strip()]
    words = [word for name in names for word in _WORD.findall(name)]
    return (
        1 <= len(names) <= _MOST_NAMES
        and all(_is_name(name) or name_words(name) <= author for name in names)
        and _are_of_names(words, author)
    )


def _are_of_names(words: Sequence[str], author: frozenset[str]) -> bool:
    return all(word[0].isupper() or word.casefold() in author | IN_NAMES for word in words)


def _begins(line: str, author: frozenset[str]) -> bool:
    """Return whether a line begins with the author's name, or with "i. A." (on behalf of)."""
    words = _WORD.findall(line)
    named = [at for at, word in enumerate(words) if word.casefold() in author]
    if len(named) > 1 and len(words) <= _FEW_WORDS:
        return _are_of_names(words[: named[-1]], author)
    return _ON_BEHALF.match(line) is not None and _is_name(_ON_BEHALF.sub("", line))


def _is_block(lines: Sequence[str]) -> bool:
    return _has_firm(lines) and _is_name(_ON_BEHALF.sub("", _BAR.split(_block_lines(lines)[0])[0]))


def _has_firm(lines: Sequence[str]) -> bool:
    """Return whether the lines have two contact details, and one is a firm or a phone number."""
    told = _block_lines(lines)
    parts = [part for line in told for part in _BAR.split(line, _MOST_BARS)]
    telling = list(filter(_tells, dict.fromkeys(told + parts)))
    is_firm = any(_FIRM.search(line) or _PHONE.search(line) for line in telling)
    return is_firm and len(telling) >= _FEWEST_TELLING


def _block_lines(lines: Sequence[str]) -> list[str]:
    """Return the stripped lines that are not blank, or an empty list if any line is a sentence."""
    told = [line.strip() for line in lines if line.strip()]
    return [] if any(map(_is_sentence, told)) else told


def _is_sentence(line: str) -> bool:
    return any(map(_is_whole_sentence, _BAR.split(line, _MOST_BARS)))


def _is_whole_sentence(line: str) -> bool:
    if len(line) > _LONGEST_LINE or line.endswith(_ASKS_OR_CALLS):
        return True
    most_words = _FEW_WORDS if _tells(line) else _FEWEST_TELLING
    is_long = line.endswith(".") and len(line.split()) > most_words
    return is_long or _POSTSCRIPT.match(line) is not None


def _tells(line: str) -> bool:
    return (_REACHED.search(line) or _FIRM.search(line)) is not None


def is_fence(line: str) -> bool:
    """Return whether the line is only a row of dashes, stars or the like."""
    return _FENCE.match(line) is not None


def is_signature(below: list[str]) -> bool:
    """Return whether the non-blank lines below a row of dashes look like a signature."""
    if not 0 < len(below) <= _FENCED_LINES:
        return False
    if any(len(line) > _LONGEST_FENCED or line.endswith(_EXCLAIMED) for line in below):
        return False
    return any(map(_REACHED.search, below)) or all(map(_is_name, below))


def _is_name(line: str) -> bool:
    is_short = len(line) <= _LONGEST_NAME and not line[0].islower()
    return is_short and _NO_NAME.search(line) is None
