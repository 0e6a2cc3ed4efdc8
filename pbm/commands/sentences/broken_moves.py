"""Joins the lines of a move that a mail program broke, so that no rest of it reads as a move."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pbm.commands.language.around_moves import PHRASES
from pbm.play.game_words import mentions_place

_SIGNS: Final = "-\u2010\u2011\u2012\u2013\u2014\u2212,;>→"
_LINES_READ: Final = 200  # of one mail


def with_moves_joined(
    said: Sequence[str], below_quotes: Sequence[int]
) -> tuple[Sequence[str], Sequence[int]]:
    """Return the lines with broken moves joined, and the new indexes of those below quotations.

    >>> with_moves_joined(["K and Q,", "that is all"], [1])
    (['K and Q,', 'that is all'], [1])
    """
    lines = [at for at, line in enumerate(said[:_LINES_READ]) if line.strip()]
    broken = {
        between: above
        for above, below in pairwise(lines)
        if below not in below_quotes and _is_broken(said[above].split(), said[below].split())
        for between in range(above + 1, below + 1)
    }
    if not broken:
        return said, below_quotes
    joined: list[str] = []
    for at, line in enumerate(said):
        if at not in broken:
            joined.append(line)
        elif line.strip():
            joined[-1] = f"{joined[-1].rstrip()} {line.lstrip()}"
    return joined, [at - sum(other < at for other in broken) for at in below_quotes]


def _is_broken(above: list[str], below: list[str]) -> bool:
    """Return whether a sign of a move stands at the break between two lines, and places around."""
    last, first = above[-1], below[0]
    is_between = last.casefold() in PHRASES["to"] or not last.strip(_SIGNS)
    before = above[-2] if is_between and len(above) > 1 else last.rstrip(_SIGNS)
    after = below[1] if not first.strip(_SIGNS) and len(below) > 1 else first.lstrip(_SIGNS)
    if not (is_between or before != last or after != first):
        return False
    lists = last.endswith(",") and len(above) > 1 and "-" not in before  # "I like K,"
    return not lists and mentions_place(before) and mentions_place(after)
