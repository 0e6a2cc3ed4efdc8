"""What both twins are told: a position as numbers, what stood before it, and how far to look."""

from collections.abc import Callable, Sequence
from ctypes import c_int32
from dataclasses import dataclass
from typing import Protocol

from pbm.rules.abalone.engine.weights import Ways, Weights
from pbm.rules.abalone.placement import Placement

MOST_LINES = 256
"""More lines than that are never asked for at once."""

MOST_PAST = 1024
"""Of the earlier positions so many of the latest are looked at."""

DEEPEST = 60
"""No search goes deeper than that, in plies."""


@dataclass(frozen=True, slots=True)
class Root:
    """Where a search begins.

    `marbles` has a set of cells for each seat; seats count from 0 here, and so do sides. `sides`
    has the side of each seat, `scores` the score of each side. `out` are the seats whose players
    have left. `fixed` is the set of cells that never change. `past` are the marbles and the turn
    of earlier positions that may come back.
    """

    marbles: tuple[int, ...]
    turn: int
    sides: tuple[int, ...]
    scores: tuple[int, ...]
    out: tuple[bool, ...]
    fixed: int
    past: tuple[tuple[tuple[int, ...], int], ...] = ()

    @property
    def alive(self) -> tuple[bool, ...]:
        """Of each side, whether it still has a player."""
        return tuple(
            not all(out for out, member in zip(self.out, self.sides, strict=True) if member == side)
            for side in range(len(self.scores))
        )

    @property
    def played(self) -> tuple[bool, ...]:
        """Of each seat, whether somebody moves for it: its player or a partner."""
        return tuple(self.alive[side] for side in self.sides)


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How far to look: `nodes` at most once the first ply is done, `depth` plies, `seconds`.

    `best` is the number of lines. Moves of the root that look equal are shuffled by `seed` unless
    it is 0. `stop` ends the search soon after another thread has set it. `told` is called
    with what was found at each depth that is finished.
    """

    nodes: int
    depth: int = DEEPEST
    seconds: float | None = None
    best: int = 1
    seed: int = 0
    stop: c_int32 | None = None
    told: "Callable[[Outlook], None] | None" = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a twin found: scores with their lines of coded moves, depth, nodes, and if time ended
    it."""

    lines: tuple[tuple[int, tuple[int, ...]], ...]
    depth: int
    nodes: int
    cut: bool = False


class Twin(Protocol):
    """One of the two searches."""

    def __call__(
        self, root: Root, weights: Weights, ways: Ways, limits: SearchLimits
    ) -> Outlook: ...


def root_of(positions: Sequence[Placement]) -> Root:
    """The root for the last of some positions in the order of play; its game goes on."""
    last = positions[-1]
    assert last.turn is not None
    return Root(
        marbles=last.marbles,
        turn=last.turn - 1,
        sides=tuple(side - 1 for side in last.sides),
        scores=tuple(last.scores[group[0] - 1] for group in last.groups),
        out=tuple(seat in last.out for seat in last.seats),
        fixed=last.fixed,
        past=tuple(
            (earlier.marbles, earlier.turn - 1)
            for earlier in positions[-1 - MOST_PAST : -1]
            if earlier.turn and earlier.out == last.out and earlier.scores == last.scores
        ),
    )


def table_size(nodes: int) -> int:
    """How many positions are remembered: about as many as are looked at, a power of two.

    >>> table_size(1), table_size(5000), table_size(10**9)
    (4096, 8192, 2097152)
    """
    return 1 << min(max(12, (nodes - 1).bit_length()), 21)
