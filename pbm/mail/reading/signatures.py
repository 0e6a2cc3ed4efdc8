"""Finds signatures without the usual mark `-- ` at the end of a mail.

A signature is a closing line such as "Best regards" above a firm or a way to reach somebody.
Without a closing line it begins with a name, and has a firm or a telephone number and one more such
line. Anything less sure is kept, as it may be meant for the reader.
"""

import re
from collections.abc import Sequence
from typing import Final

from pbm.mail.reading.quoting_headers import PHRASES
from pbm.mail.reading.quoting_marks import is_name, reaches_somebody

CLOSINGS: Final = frozenset(PHRASES["closing"])
_MOST_LINES = 12
_LONGEST_LINE = 100
_FEWEST_TELLING = 2
_AROUND = " .,!-\u2013\u2014*_"
_FIRM = re.compile(
    r"\b(?:GmbH|AG|KG|UG|OHG|Inc|INC|Ltd|LTD|LLC|LLP|PLC|plc|Corp|S\.?A\.?S?|S\.?L|S\.?R\.?L"
    r"|S\.?r\.?l|S\.?[Pp]\.?A|B\.?V|N\.?V|AB|Oy|OY|A/S|ApS|Kft|s\.r\.o|Sp\. z o\.o)(?!\w)|\S \| \S"
    r"|^(?i:tel|phone|fon|fax|mobile?|cell|tlf|tél|telefon|telefono|teléfono|handy)\b[.: ]*\+?[\d(]"
)
_ON_BEHALF = re.compile(r"^(?:i\.? ?[av]\.|ppa\.?) ?", re.IGNORECASE)
_PHONE = re.compile(r"\+?\d[\d ()/.-]{6,}\d")
_ASKS_OR_CALLS = ("!", "?", "…")
_FEW_WORDS = 6


def signature_start(lines: Sequence[str]) -> int:
    """The index of the first line of a signature at the end; `len(lines)` if there is none.

    The first line of a mail never begins one, since an answer may be below "Thanks".
    """
    last = len(lines)
    written = next((at for at, line in enumerate(lines) if line.strip()), last)
    first = max(written + 1, last - _MOST_LINES)
    for at in reversed(range(first, last)):
        if is_closing(lines[at]) and any(map(_tells, _told(lines[at + 1 :]))):
            return at
    block = next((at + 1 for at in reversed(range(first, last)) if not lines[at].strip()), last)
    return block if _is_block(lines[block:]) else last


def is_closing(line: str) -> bool:
    """Whether a line is the closing phrase of a letter, perhaps with a comma and a name."""
    formula, _, _ = line.partition(",")
    return formula.strip(_AROUND).casefold() in CLOSINGS


def _is_block(lines: Sequence[str]) -> bool:
    told = _told(lines)
    telling = list(filter(_tells, told))
    firm = any(_FIRM.search(line) or _PHONE.search(line) for line in telling)
    return firm and len(telling) >= _FEWEST_TELLING and is_name(_ON_BEHALF.sub("", told[0]))


def _told(lines: Sequence[str]) -> list[str]:
    """The lines that are not blank; none if one of them is a sentence."""
    told = [line.strip() for line in lines if line.strip()]
    return [] if any(map(_is_sentence, told)) else told


def _is_sentence(line: str) -> bool:
    if len(line) > _LONGEST_LINE or line.endswith(_ASKS_OR_CALLS):
        return True
    most_words = _FEW_WORDS if _tells(line) else _FEWEST_TELLING
    is_postscript = line.casefold().startswith(("ps", "p.s"))
    return is_postscript or (line.endswith(".") and len(line.split()) > most_words)


def _tells(line: str) -> bool:
    return reaches_somebody(line) or _FIRM.search(line) is not None
