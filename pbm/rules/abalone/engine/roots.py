"""The input and the result of a search, the same for the searches in Python and in C."""

from collections.abc import Callable, Sequence
from ctypes import c_int32
from dataclasses import dataclass

from pbm.rules.abalone.placement import Placement

MOST_LINES = 256
MOST_PAST = 1024  # earlier positions
DEEPEST = 60  # plies


@dataclass(frozen=True, slots=True)
class Root:
    """The position that a search starts from. Seats and sides count from 0 here."""

    marbles: tuple[int, ...]  # a set of cells for each seat
    turn: int
    sides: tuple[int, ...]  # the side of each seat
    scores: tuple[int, ...]  # of each side
    out: tuple[bool, ...]  # whether the player of each seat has left
    fixed: int  # the cells that never change
    past: tuple[tuple[tuple[int, ...], int], ...] = ()  # marbles and turn of earlier positions

    @property
    def alive(self) -> tuple[bool, ...]:
        """Whether each side still has a player."""
        return tuple(
            not all(out for out, member in zip(self.out, self.sides, strict=True) if member == side)
            for side in range(len(self.scores))
        )

    @property
    def played(self) -> tuple[bool, ...]:
        """Whether each seat still has somebody to move for it: its player or a partner."""
        return tuple(self.alive[side] for side in self.sides)


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of a search. Depth 1 is always finished, even if it exceeds the limits."""

    nodes: int  # in all
    depth: int = DEEPEST  # plies
    seconds: float | None = None
    best: int = 1  # the number of lines to find
    seed: int = 0  # if not 0, it shuffles root moves that are ranked alike
    stop: c_int32 | None = None  # another thread may set it to end the search
    told: "Callable[[Outlook], None] | None" = None  # is called with each depth's result


@dataclass(frozen=True, slots=True)
class Outlook:
    lines: tuple[tuple[int, tuple[int, ...]], ...]  # pairs of a score and the codes of moves
    depth: int
    nodes: int
    cut: bool = False  # whether `seconds` or `stop` ended the search


def root_of(positions: Sequence[Placement]) -> Root:
    """Return the root for a search in the last of a game's positions. The game must not be over."""
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
    """Return `nodes` rounded up to a power of two. It is at least 2**12 and at most 2**21.

    >>> table_size(1), table_size(5000), table_size(10**9)
    (4096, 8192, 2097152)
    """
    return 1 << min(max(12, (nodes - 1).bit_length()), 21)
