"""When a player may claim a draw, and the balance that decides a match (rules, section 5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pbm.rules.abalone.position import Position

TIMES_REPEATED = 3
"""A position that stands so many times, with the same seat to move, may be claimed as a draw."""

QUIET_MOVES = 100
"""So may a game in which every seat made so many moves since a marble was last ejected."""


def is_repeated(positions: Sequence[Position]) -> bool:
    """Whether the last of some positions, in the order of play, stands there for the third time.

    >>> from pbm.rules.abalone import start
    >>> is_repeated([start()] * 2), is_repeated([start()] * 3)
    (False, True)
    """
    now = what_counts(positions[-1])
    return sum(what_counts(position) == now for position in positions) >= TIMES_REPEATED


def is_quiet(position: Position, moves: Mapping[int, int]) -> bool:
    """Whether every seat that is still played has made enough moves since the last ejection.

    `moves` counts them by seat. A seat that has no marbles left is not waited for.
    """
    return all(moves.get(seat, 0) >= QUIET_MOVES for seat in _awaited(position))


def is_seen_quiet(position: Position, moves: Callable[[int], Mapping[int, int]]) -> bool:
    """Whether `is_quiet` can be seen from a bounded number of the latest plies.

    `moves` counts the moves by seat in so many of them. Where a seat was passed over again and
    again it is seen later than it is so.
    """
    needed = QUIET_MOVES * len(_awaited(position))
    return position.quiet >= needed and is_quiet(position, moves(min(position.quiet, 2 * needed)))


def balance(start: Position, end: Position, seat: int) -> int:
    """Marbles ejected by a seat's side less those that the side lost, from start to end."""
    side = next(side for side in end.sides if seat in side)
    lost = sum(start.count(member) - end.count(member) for member in side)
    return end.scores[seat - 1] - lost


def what_counts(position: Position) -> Position:
    """A position without what may differ where it stands once more."""
    return replace(position, quiet=0)


def _awaited(position: Position) -> list[int]:
    """The seats whose moves are counted: those still played, with marbles."""
    return [seat for seat in position.seats if position.is_played(seat) and position.count(seat)]
