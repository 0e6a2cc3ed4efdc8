"""What a position is worth, and how it is searched: the numbers of both twins.

All of them are whole numbers, a thousand to a marble pushed off. Both twins get them as one flat
row, in the order in which they stand here; `core.c` names them in the same order.
"""

from collections.abc import Iterator
from dataclasses import astuple, dataclass

MARBLE = 1000
"""What the first marble pushed off is worth, about."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What is worth how much, for the side that has it.

    `scores` are for none to five marbles pushed off. `marble` is for each marble that is left,
    `rings` for each by its distance from the centre, `cohesion` for two of them side by side, and
    `danger` is lost for each that somebody can push off at once. `push` is for each enemy that can
    be pushed. Against several, `lead` sixteenths of what counts are those of the best of them,
    the rest is the mean.
    """

    scores: tuple[int, int, int, int, int, int] = (0, 1000, 2100, 3300, 4700, 6500)
    marble: int = 0
    rings: tuple[int, int, int, int, int] = (0, -10, -60, -170, -340)
    cohesion: int = 14
    danger: int = 190
    push: int = 45
    lead: int = 8


@dataclass(frozen=True, slots=True)
class Ways:
    """How the tree is searched. Numbers are flags unless something else is said.

    `best_reply`: of several enemies only one moves between two own moves, the one that hurts most;
    otherwise all do, as if in league. `quiescence`: ejections are played out below the last ply.
    `reductions`: late quiet moves are searched less deeply at first. `patience`: of quiet moves at
    most two, five and ten times as many are tried in the last three plies, the last one first; 0
    for all. `futility`: what a quiet move of the last ply may gain at most, 0 to look at all.
    `aspiration`: half the first window. `contempt`: what a repetition costs the side that searches.
    """

    best_reply: int = 1
    quiescence: int = 1
    reductions: int = 1
    patience: int = 3
    futility: int = 300
    aspiration: int = 150
    contempt: int = 200


def flat(weights: Weights, ways: Ways) -> tuple[int, ...]:
    """All numbers in one row.

    >>> len(flat(Weights(), Ways()))
    23
    """
    return tuple(_numbers((astuple(weights), astuple(ways))))


def _numbers(nested: tuple[object, ...]) -> Iterator[int]:
    for part in nested:
        if isinstance(part, tuple):
            yield from _numbers(part)
        else:
            assert isinstance(part, int)
            yield part
