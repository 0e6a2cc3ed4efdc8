"""The static evaluation of the search in plain Python."""

from pbm.rules.abalone.board import BOARD, RINGS
from pbm.rules.abalone.engine.boards import EDGES
from pbm.rules.abalone.engine.roots import Root
from pbm.rules.abalone.engine.weights import Weights

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
