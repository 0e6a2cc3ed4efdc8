"""Who plays in the arena: the robots, and simple players to hold them against."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pbm.robots.thinking import think
from pbm.rules.abalone import GAME
from pbm.rules.abalone.engine.judging import MARBLE, Ways, Weights
from pbm.rules.abalone.engine.searching import search
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import Budget
from pbm.rules.robots import Robot

Player = Callable[[Sequence[AbalonePosition], int], str]
"""Its move, from the positions that may come back and a seed. All of them can be pickled."""

_ENOUGH = 10**9
_WHIM = 0.2
_PLAIN = Ways(
    best_reply=0,
    quiescence=0,
    reductions=0,
    patience=0,
    futility=0,
    margin=0,
    aspiration=0,
    contempt=0,
)
_MATERIAL = Weights(
    scores=tuple(MARBLE * number for number in range(6)),  # type: ignore[arg-type]  # six of them
    marble=0,
    rings=(0, 0, 0, 0, 0),
    cohesion=0,
    danger=0,
    push=0,
    tempo=0,
)
_RINGS = replace(_MATERIAL, rings=(0, -20, -60, -140, -260))


@dataclass(frozen=True, slots=True)
class RandomMover:
    """Any legal move."""

    def __call__(self, positions: Sequence[AbalonePosition], seed: int) -> str:
        return str(_dice(positions, seed).choice(positions[-1].legal_moves()))


@dataclass(frozen=True, slots=True)
class MaterialPlayer:
    """Plain alpha-beta that counts nothing but what was pushed off.

    Among equals it keeps what it tried first: pushes, and then any move.
    """

    depth: int = 2

    def __call__(self, positions: Sequence[AbalonePosition], seed: int) -> str:
        return _plainly(positions[-1], self.depth, _MATERIAL, seed)


@dataclass(frozen=True, slots=True)
class RingPlayer:
    """Plain alpha-beta that counts what was pushed off, and the distance from the centre."""

    depth: int = 4

    def __call__(self, positions: Sequence[AbalonePosition], seed: int) -> str:
        return _plainly(positions[-1], self.depth, _RINGS, seed)


@dataclass(frozen=True, slots=True)
class GreedyPlayer:
    """The best move by material and rings, before the answer; any move one time of five."""

    def __call__(self, positions: Sequence[AbalonePosition], seed: int) -> str:
        if _dice(positions, seed).random() < _WHIM:
            return RandomMover()(positions, seed)
        return _plainly(positions[-1], 1, _RINGS, seed)


@dataclass(frozen=True, slots=True)
class RobotPlayer:
    """One of the robots."""

    robot: Robot

    def __call__(self, positions: Sequence[AbalonePosition], seed: int) -> str:
        return think(self.robot, GAME, positions, seed).move


@dataclass(frozen=True, slots=True)
class EnginePlayer:
    """The search with weights and ways of its own."""

    budget: Budget
    weights: Weights | None = None
    ways: Ways | None = None

    def __call__(self, positions: Sequence[AbalonePosition], seed: int) -> str:
        inner = list(positions)
        found = search(inner, self.budget, seed=seed + 1, weights=self.weights, ways=self.ways)
        return found.lines[0].moves[0]


def _plainly(position: AbalonePosition, depth: int, weights: Weights, seed: int) -> str:
    budget = Budget(_ENOUGH, depth=depth)
    found = search([position], budget, seed=seed + 1, weights=weights, ways=_PLAIN)
    return found.lines[0].moves[0]


def _dice(positions: Sequence[AbalonePosition], seed: int) -> random.Random:
    return random.Random(f"{seed} {positions[-1].state()}")
