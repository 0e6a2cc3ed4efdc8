"""Draws by claim, the score of a match, and symmetric positions (rules, section 5)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pbm.rules.abalone.board import CELLS, CENTRE, members
from pbm.rules.abalone.placement import Placement
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import ClaimError

_P = TypeVar("_P", bound=Placement)
_ROW, _COLUMN = divmod(CENTRE, 10)

TIMES_REPEATED = 3
QUIET_MOVES = 100
"""A draw may be claimed at the third occurrence of a position, or after so many moves of every seat
without an ejection."""


def claim(positions: Sequence[AbalonePosition], moves: Mapping[int, int]) -> str:
    """Return the reason for a draw by claim, `repeated` or `quiet`; raises ClaimError."""
    if [*map(sameness, positions)].count(sameness(positions[-1])) >= TIMES_REPEATED:
        return "repeated"
    if _is_quiet(positions[-1], moves):
        return "quiet"
    raise ClaimError("nothing-to-claim", times=TIMES_REPEATED, moves=QUIET_MOVES)


def claimable(
    position: Placement, times: int, moves: Callable[[int], Mapping[int, int]]
) -> str | None:
    """Return the result of `claim`, or None; `quiet` is late if a seat was often passed over."""
    if times >= TIMES_REPEATED:
        return "repeated"
    needed = QUIET_MOVES * len(_awaited(position))
    if position.quiet < needed or not _is_quiet(position, moves(min(position.quiet, 2 * needed))):
        return None
    return "quiet"


def sameness(position: AbalonePosition) -> str:
    """Return the state line without the number of quiet plies."""
    return replace(position, quiet=0).state()


def _is_quiet(position: Placement, moves: Mapping[int, int]) -> bool:
    return all(moves.get(seat, 0) >= QUIET_MOVES for seat in _awaited(position))


def _awaited(position: Placement) -> list[int]:
    """Return the seats whose moves count for `quiet`: with marbles, and a player to move them."""
    return [seat for seat in position.seats if position.is_played(seat) and position.count(seat)]


def balance(start: Placement, end: Placement, seat: int) -> int:
    """Return the number of marbles that a seat's side ejected, minus the number that it lost."""
    lost = sum(start.count(member) - end.count(member) for member in end.group_of(seat))
    return end.scores[seat - 1] - lost


def copies(position: _P) -> Iterator[_P]:
    """Yield all positions that are symmetric to a position, itself included; some may repeat."""
    for way in _WAYS:
        placed = tuple(sum(way[cell] for cell in members(own)) for own in position.marbles)
        for first in position.seats:  # the seat that becomes the first one
            seats = (*position.seats[first - 1 :], *position.seats[: first - 1])
            yield replace(
                position,
                marbles=tuple(placed[seat - 1] for seat in seats),
                scores=tuple(position.scores[seat - 1] for seat in seats),
                turn=position.turn and seats.index(position.turn) + 1,
                out=frozenset(seats.index(seat) + 1 for seat in position.out),
            )


def _ways() -> Iterator[dict[int, int]]:
    """For each symmetry of the board, a mapping from cells to their images, sets of one cell."""
    rays = [(cell // 10 - _ROW, cell % 10 - _COLUMN) for cell in CELLS]
    for lies in (rays, [(row, row - column) for row, column in rays]):  # as it is, and mirrored
        for _ in range(6):
            yield {
                cell: 1 << 10 * (_ROW + row) + _COLUMN + column
                for cell, (row, column) in zip(CELLS, lies, strict=True)
            }
            lies = [(column, column - row) for row, column in lies]  # turned by a sixth


_WAYS = tuple(_ways())
