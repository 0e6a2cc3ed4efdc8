"""Where a seat's marbles stand at the start, in words: "top", "upper left and lower right"."""

from collections.abc import Iterator
from functools import lru_cache
from math import atan2, degrees, sqrt

from pbm.rules.abalone.board import CENTRE, STEPS, members, set_of
from pbm.rules.abalone.layouts import start

_MOST_SIDES = 3

_COMPASS = (
    "right",
    "upper right",
    "top",
    "upper left",
    "left",
    "lower left",
    "bottom",
    "lower right",
)


def home(board: str, players: int, seat: int, *, teams: bool = False) -> str:
    """Where the marbles of a seat start, as the mailed board shows them.

    Raises SetupError as `start` does, ValueError if there is no such seat.

    >>> home("standard", 2, 2), home("bowl", 2, 1)
    ('bottom', 'upper left and lower right')
    """
    position = start(board, players, teams=teams)
    if seat not in position.seats:
        raise ValueError(f"the seats are 1 to {players}, not {seat}")
    return home_of(position.marbles_of(seat))


@lru_cache(maxsize=512)  # more than there are seats on all boards together
def home_of(marbles: int) -> str:
    """Where a set of marbles lies, in words.

    >>> home_of(start().marbles_of(1))
    'top'
    """
    groups = _groups(marbles)
    sides = list(dict.fromkeys(_side(group) for group in groups))
    return " and ".join(sides) if len(sides) <= _MOST_SIDES else "all over the board"


def _groups(marbles: int) -> Iterator[tuple[int, ...]]:
    """The groups of marbles that touch each other, the one highest on the board first."""
    while marbles:
        group, growing = 0, marbles & -marbles
        while growing != group:
            group = growing
            for cell in members(group):
                growing |= marbles & set_of(tuple(cell + step for step in STEPS))
        yield tuple(members(group))
        marbles &= ~group


def _side(cells: tuple[int, ...]) -> str:
    """The side of the board on which some cells lie, as one of eight directions."""
    rows = [cell // 10 - CENTRE // 10 for cell in cells]
    columns = [cell % 10 - CENTRE % 10 for cell in cells]
    # A row is half a cell further to the left than the one above it, and closer than a cell.
    right = sum(columns) - sum(rows) / 2
    up = -sum(rows) * sqrt(3) / 2
    if right**2 + up**2 < len(cells) ** 2:
        return "centre"
    return _COMPASS[round(degrees(atan2(up, right)) / 45) % 8]
