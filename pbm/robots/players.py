"""The robots: how far each searches, and how it chooses."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pbm.rules.contract import Budget


@dataclass(frozen=True, slots=True)
class Robot:
    """A computer player.

    `budget` limits its search. Of the best `lines` it takes any scored at most `within` hundredths
    below the best; a `careful` one first drops those that let opponents take a piece at once.
    `whims` is the share of its moves taken from the worst quarter instead, unless a win is in
    sight.
    """

    name: str
    budget: Budget
    lines: int = 1
    within: int = 0
    careful: bool = False
    whims: float = 0


_ALL_MOVES = 1_000
_GUARD = 90.0  # seconds: the nodes decide, however busy the machine and without a compiled core

PEBBLE = Robot(
    "pebble", Budget(5_000, _GUARD, depth=1), _ALL_MOVES, within=20, careful=True, whims=0.6
)
COBBLE = Robot("cobble", Budget(10_000, _GUARD, depth=3), lines=4, within=4)
BOULDER = Robot("boulder", Budget(600_000, _GUARD))

ROBOTS: Mapping[str, Robot] = MappingProxyType(
    {robot.name: robot for robot in (PEBBLE, COBBLE, BOULDER)}
)
"""Every robot by name, the weakest first."""


def weaker(robot: Robot) -> Robot:
    """The next weaker robot; for the weakest itself.

    >>> weaker(BOULDER).name, weaker(PEBBLE).name
    ('cobble', 'pebble')
    """
    names = list(ROBOTS)
    return ROBOTS[names[max(names.index(robot.name) - 1, 0)]]
