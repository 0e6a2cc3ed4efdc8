"""The parameters of evaluation and search. Values are in thousandths of a marble pushed off."""

from dataclasses import astuple, dataclass

MARBLE = 1000  # about the value of the first marble pushed off


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the evaluation of a position, from one side's view.

    The value of several enemies together is `lead` / 16 of the best enemy's value, plus (16 -
    `lead`) / 16 of the mean of all enemies' values.
    """

    scores: tuple[int, int, int, int, int, int] = (0, 1000, 2100, 3300, 4700, 6500)  # by ejections
    marble: int = 0  # each marble on the board; `rings` is added by distance from the centre
    rings: tuple[int, int, int, int, int] = (0, -10, -60, -170, -340)
    cohesion: int = 14  # two marbles side by side
    danger: int = 190  # subtracted for each marble that one move can push off
    push: int = 45  # each possible push
    lead: int = 8
    tempo: int = 100  # having the next move


@dataclass(frozen=True, slots=True)
class Ways:
    """The options of the search. The first three are flags. Pruning is off if its number is 0.

    - `patience`: late move pruning. At most 2 * `patience` quiet moves are tried with one ply left,
      5 * `patience` with two plies left, 10 * `patience` with three.
    - `margin`: reverse futility pruning. With at most three plies left, no move is tried if the
      static value is above the window by more than `margin` for each ply left.
    """

    best_reply: int = 1  # of several enemies, only the one with the strongest reply moves
    quiescence: int = 1  # ejections are played out below the last ply
    reductions: int = 1  # late quiet moves are first searched less deep
    patience: int = 3
    futility: int = 300  # pruning: an upper bound for what a quiet move of the last ply gains
    margin: int = 150
    aspiration: int = 150  # half the width of the first window
    contempt: int = 200  # the cost of a repetition for the side that searches


def flat(weights: Weights, ways: Ways) -> tuple[int, ...]:
    parts = (*astuple(weights), *astuple(ways))
    return tuple(n for part in parts for n in (part if isinstance(part, tuple) else (part,)))
