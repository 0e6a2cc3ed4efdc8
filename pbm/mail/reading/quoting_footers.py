"""What a writer or a mailing list puts below a mail, under a line of `=====`, `*****` or `-----`.

Such a line may stand between a writer's own words as well. So what is below it must look like a
signature: few lines, with a way to reach somebody, or with nothing but names.
"""

import re

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
    """Is the line nothing but a row of dashes, stars or the like?"""
    return _FENCE.match(line) is not None


def is_signature(below: list[str]) -> bool:
    """Do these lines, all below a fence but for blank ones and fences, look like a signature?"""
    if not 0 < len(below) <= _MOST_LINES:
        return False
    if any(len(line) > _LONGEST_LINE or line.endswith(_EXCLAIMED) for line in below):
        return False
    return any(map(_REACHED.search, below)) or all(map(_is_name, below))


def _is_name(line: str) -> bool:
    is_short = len(line) <= _LONGEST_NAME and not line[0].islower()
    return is_short and _NO_NAME.search(line) is None
