"""The robots, which play any game that can be searched. The table `ROBOTS` describes each."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from pbm.rules.contract import WON, Budget, Line, Position

_GUARD = 90.0  # seconds; a search reaches its nodes earlier, even on slow machines
LONG = 1.0  # seconds
_ALL_MOVES = 1_000
_OBVIOUS = 50  # hundredths above the median move; a line so much above is never overlooked


@dataclass(frozen=True, slots=True)
class Robot:
    name: str
    rating: int  # fixed
    seconds: float  # the expected processor time of a search
    budget: Budget
    lines: int = 1  # the number of best lines to find
    blur: int = 0  # how far the score of a line may be misjudged, in hundredths
    sees: float = 1.0  # the probability of seeing a line that is not obvious (`_OBVIOUS`)

    def thinking(self, seconds: float) -> "Robot":
        """Return a copy whose search takes about `seconds`; return a fast robot unchanged."""
        if self.seconds < LONG:
            return self
        nodes = max(1, int(self.budget.nodes * seconds / self.seconds))
        return replace(self, budget=replace(self.budget, nodes=nodes))

    def choose(self, position: Position, lines: Sequence[Line], seed: int) -> Line:
        """Return one of `lines` to play. The lines come from a search, with the best line first."""
        if lines[0].score >= WON:
            return lines[0]
        dice = random.Random(f"{seed} {position.state()}")
        obvious = lines[len(lines) // 2].score + _OBVIOUS
        seen = [line for line in lines if line.score >= obvious or dice.random() < self.sees]
        return max(
            seen or lines[:1], key=lambda line: line.score + dice.triangular(-self.blur, self.blur)
        )


def _looks(depth: int) -> Budget:
    return Budget(30_000, _GUARD, depth)


ROBOTS: Mapping[str, Robot] = MappingProxyType(
    {
        robot.name: robot
        for robot in (
            Robot("pebble", 950, 0.01, _looks(0), _ALL_MOVES, blur=30, sees=0.18),
            Robot("flint", 1133, 0.01, _looks(0), _ALL_MOVES, blur=22, sees=0.3),
            Robot("stone", 1317, 0.01, _looks(0), _ALL_MOVES, blur=17, sees=0.54),
            Robot("cobble", 1500, 0.01, _looks(3), 12, blur=35, sees=0.4),
            Robot("rock", 1683, 0.01, Budget(700, _GUARD), _ALL_MOVES),
            Robot("slab", 1867, 0.01, _looks(3), 12, blur=19, sees=0.62),
            Robot("boulder", 2050, 0.25, Budget(600_000, _GUARD)),
            Robot("mountain", 2233, 3.0, Budget(7_200_000, _GUARD)),
        )
    }
)
"""Every robot by name, the weakest first; `docs/strength.md` says how the ratings were measured."""

WEAKEST = next(iter(ROBOTS))
NEXT = dict(pairwise(ROBOTS))  # the next stronger robot by name
ADVISER = "boulder"  # gives hints: strong, and quick enough for a mail to wait for it
