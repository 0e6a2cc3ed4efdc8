"""The parameters of evaluation and search, a thousand to a marble pushed off.

The search in plain Python and the one in C get them as a row of whole numbers, in this order.
"""

from dataclasses import astuple, dataclass

MARBLE = 1000
"""About the value of the first marble pushed off."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the evaluation of a position, from one side's view.

    `scores` are for none to five marbles pushed off, `marble` for each marble that is left, `rings`
    for a marble by its distance from the centre, `cohesion` for two side by side, `push` for each
    possible push. `danger` is subtracted for each marble that can be pushed off at once. Of several
    enemies, the best one counts `lead` sixteenths and the mean of all enemies the rest. `tempo` is
    the value of having the next move.
    """

    scores: tuple[int, int, int, int, int, int] = (0, 1000, 2100, 3300, 4700, 6500)
    marble: int = 0
    rings: tuple[int, int, int, int, int] = (0, -10, -60, -170, -340)
    cohesion: int = 14
    danger: int = 190
    push: int = 45
    lead: int = 8
    tempo: int = 100


@dataclass(frozen=True, slots=True)
class Ways:
    """The options of the search; the first three are flags.

    `best_reply`: between two own moves only the strongest of several enemies moves; otherwise all
    do, as one side. `quiescence`: ejections are played out below the last ply. `reductions`: late
    quiet moves are first searched less deep. `patience`: late move pruning; in the last three plies
    at most two, five and ten times as many quiet moves are tried, the last ply first; 0 for all.
    `futility`: the most that a quiet move of the last ply may gain; 0 for no pruning.
    `margin`: reverse futility pruning; in the last three plies a position that is better than the
    window by so much for each ply left counts as it stands; 0 for none. `aspiration`: half the
    first window. `contempt`: the cost of a repetition for the side that searches.
    """

    best_reply: int = 1
    quiescence: int = 1
    reductions: int = 1
    patience: int = 3
    futility: int = 300
    margin: int = 150
    aspiration: int = 150
    contempt: int = 200


def flat(weights: Weights, ways: Ways) -> tuple[int, ...]:
    """Return all parameters in one row."""
    parts = (*astuple(weights), *astuple(ways))
    return tuple(n for part in parts for n in (part if isinstance(part, tuple) else (part,)))
