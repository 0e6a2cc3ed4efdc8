"""Draws by claim, the balance that decides a match, and copies of positions (rules, section 5)."""

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
"""A position that stands so often, with the same seat to move, may be claimed as a draw."""

QUIET_MOVES = 100
"""The same for moves of every seat since a marble was last ejected."""


def reversible(position: Placement) -> int:
    """The plies since a marble left the board: no position before them can come back."""
    return position.quiet


def claim(positions: Sequence[AbalonePosition], moves: Mapping[int, int]) -> str:
    """`repeated` or `quiet`; raises ClaimError.

    The last of the positions, in the order of play, stands there for the third time; or every seat
    that is still played, and has marbles, has made enough of the `moves`.
    """
    if [*map(sameness, positions)].count(sameness(positions[-1])) >= TIMES_REPEATED:
        return "repeated"
    if _is_quiet(positions[-1], moves):
        return "quiet"
    raise ClaimError("nothing-to-claim", times=TIMES_REPEATED, moves=QUIET_MOVES)


def claimable(
    position: Placement, times: int, moves: Callable[[int], Mapping[int, int]]
) -> str | None:
    """`repeated` or `quiet`, None if neither; reads a bounded number of the latest plies.

    If a seat was often passed over, `quiet` is noticed late.
    """
    if times >= TIMES_REPEATED:
        return "repeated"
    needed = QUIET_MOVES * len(_awaited(position))
    if position.quiet < needed or not _is_quiet(position, moves(min(position.quiet, 2 * needed))):
        return None
    return "quiet"


def sameness(position: AbalonePosition) -> str:
    """The state line without the number of quiet plies."""
    return replace(position, quiet=0).state()


def _is_quiet(position: Placement, moves: Mapping[int, int]) -> bool:
    return all(moves.get(seat, 0) >= QUIET_MOVES for seat in _awaited(position))


def _awaited(position: Placement) -> list[int]:
    """The seats whose moves are counted: those still played, with marbles."""
    return [seat for seat in position.seats if position.is_played(seat) and position.count(seat)]


def balance(start: Placement, end: Placement, seat: int) -> int:
    """Marbles ejected by a seat's side less those that the side lost, from start to end."""
    lost = sum(start.count(member) - end.count(member) for member in end.group_of(seat))
    return end.scores[seat - 1] - lost


def copies(position: _P) -> Iterator[_P]:
    """All positions that are symmetric to a position, with itself; some may repeat."""
    for way in _WAYS:
        placed = tuple(sum(way[cell] for cell in members(own)) for own in position.marbles)
        for later in range(position.players):
            first = position.players - later
            yield replace(
                position,
                marbles=placed[first:] + placed[:first],
                scores=position.scores[first:] + position.scores[:first],
                turn=position.turn and _moved_on(position.turn, later, position),
                out=frozenset(_moved_on(seat, later, position) for seat in position.out),
            )


def _moved_on(seat: int, later: int, position: Placement) -> int:
    return (seat - 1 + later) % position.players + 1


def _turned(cell: int) -> int:
    """A cell after a clockwise turn of the board by a sixth."""
    row, column = cell // 10 - _ROW, cell % 10 - _COLUMN
    return 10 * (_ROW + column) + _COLUMN + column - row


def _mirrored(cell: int) -> int:
    """A cell after left and right are exchanged."""
    row, column = cell // 10 - _ROW, cell % 10 - _COLUMN
    return 10 * (_ROW + row) + _COLUMN + row - column


def _ways() -> Iterator[dict[int, int]]:
    """For each symmetry of the board, the image of each cell as a set."""
    for cells in (CELLS, tuple(map(_mirrored, CELLS))):
        lies = cells
        for _ in range(6):
            yield {cell: 1 << other for cell, other in zip(CELLS, lies, strict=True)}
            lies = tuple(map(_turned, lies))


_WAYS = tuple(_ways())
