"""The weights and options of the search, and the static evaluation in plain Python.

Values are in thousandths of a marble pushed off.
"""

from dataclasses import astuple, dataclass

from pbm.rules.abalone.board import BOARD, RINGS
from pbm.rules.abalone.engine.boards import EDGES
from pbm.rules.abalone.engine.roots import Root

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


_FORWARD = tuple(zip((1, 11, 10), EDGES[:3], strict=True))
_BACKWARD = tuple(zip((1, 11, 10), EDGES[3:], strict=True))


class Judge:
    """Evaluates positions from the view of the side to move where the search starts."""

    def __init__(self, root: Root, weights: Weights) -> None:
        self._weights = weights
        self._rings = tuple(zip(RINGS, weights.rings, strict=True))
        own = root.sides[root.turn]
        others = [side for side, alive in enumerate(root.alive) if alive and side != own]
        self._sides = [own, *others]
        self._members = [
            [seat for seat, side in enumerate(root.sides) if side == wanted]
            for wanted in self._sides
        ]
        # In 4096ths, so that the C core rounds alike.
        self._part = 4096 // max(1, len(others))
        self._fixed = root.fixed

    def value(self, marbles: tuple[int, ...], scores: tuple[int, ...]) -> int:
        """Return by how much the root's side leads over the others."""
        weights = self._weights
        occupied = sum(marbles, self._fixed)
        armies = [sum(marbles[seat] for seat in seats) for seats in self._members]
        hits = 0
        for army in armies:
            hits |= hit_by(army, occupied & ~(army | self._fixed))
        own, *others = (
            self._worth(army, scores[side])
            - weights.danger * (army & hits).bit_count()
            + weights.push * pushes(army, occupied & ~(army | self._fixed), occupied)
            for army, side in zip(armies, self._sides, strict=True)
        )
        if len(others) == 1:
            return own - others[0]
        mean = sum(others) * self._part >> 12
        return own - (weights.lead * max(others) + (16 - weights.lead) * mean >> 4)

    def _worth(self, army: int, score: int) -> int:
        weights = self._weights
        worth = weights.scores[min(score, 5)] + weights.marble * army.bit_count()
        for ring, value in self._rings:
            worth += value * (army & ring).bit_count()
        return worth + weights.cohesion * (
            (army & army >> 1).bit_count()
            + (army & army >> 10).bit_count()
            + (army & army >> 11).bit_count()
        )


def hit_by(army: int, others: int) -> int:
    """Return the set of marbles in `others` that an `army` could push off with one move."""
    hits = 0
    for far, edge in _FORWARD:
        if target := others & edge:
            pairs = army & army >> far
            threes = pairs & army >> 2 * far
            hits |= target & (pairs << 2 * far | (threes << 3 * far & others) << far)
    for far, edge in _BACKWARD:
        if target := others & edge:
            pairs = army & army << far
            threes = pairs & army << 2 * far
            hits |= target & (pairs >> 2 * far | (threes >> 3 * far & others) >> far)
    return hits


def pushes(army: int, others: int, occupied: int) -> int:
    """Return in how many ways an `army` could push marbles in `others` without ejecting any."""
    empty = BOARD & ~occupied
    number = 0
    for far, _ in _FORWARD:
        pairs = army & army >> far
        one = others & empty >> far
        two = others & one >> far
        number += (pairs & one >> 2 * far).bit_count()
        number += (pairs & army >> 2 * far & (one | two) >> 3 * far).bit_count()
    for far, _ in _BACKWARD:
        pairs = army & army << far
        one = others & empty << far
        two = others & one << far
        number += (pairs & one << 2 * far).bit_count()
        number += (pairs & army << 2 * far & (one | two) << 3 * far).bit_count()
    return number
