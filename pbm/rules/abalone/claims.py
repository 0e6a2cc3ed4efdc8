"""Draws by claim, the score of a match, and symmetric positions (`docs/rules.md`, section 5)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import xor
from typing import TypeVar

from pbm.rules.abalone.board import CELLS, CENTRE, members
from pbm.rules.abalone.placement import Placement
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import ClaimError

_P = TypeVar("_P", bound=Placement)
_ROW, _COLUMN = divmod(CENTRE, 10)

TIMES_REPEATED = 3  # occurrences of a position that allow a claim
MOST_CHANGED = 6  # cells: three marbles move sideways
PUSHES = 2  # cells of the mover's that a push changes
QUIET_MOVES = 100  # moves of every seat without an ejection that allow a claim


def claim(positions: Sequence[AbalonePosition], moves: Mapping[int, int]) -> str:
    if [*map(sameness, positions)].count(sameness(positions[-1])) >= TIMES_REPEATED:
        return "repeated"
    if _is_quiet(positions[-1], moves):
        return "quiet"
    raise ClaimError("nothing-to-claim", times=TIMES_REPEATED, moves=QUIET_MOVES)


def claimable(
    position: Placement, times: int, moves: Callable[[int], Mapping[int, int]]
) -> str | None:
    if times >= TIMES_REPEATED:
        return "repeated"
    needed = QUIET_MOVES * len(_counted_seats(position))
    # The plies asked for are limited. So a seat that was often passed over can delay `quiet`.
    if position.quiet < needed or not _is_quiet(position, moves(min(position.quiet, 2 * needed))):
        return None
    return "quiet"


def sameness(position: AbalonePosition) -> str:
    return replace(position, quiet=0).state()


def _is_quiet(position: Placement, moves: Mapping[int, int]) -> bool:
    return all(moves.get(seat, 0) >= QUIET_MOVES for seat in _counted_seats(position))


def _counted_seats(position: Placement) -> list[int]:
    """Return the seats that have marbles and a player. Their moves count for the claim `quiet`."""
    return [seat for seat in position.seats if position.is_played(seat) and position.count(seat)]


def balance(start: Placement, end: Placement, seat: int) -> int:
    """Return how many marbles a seat's side ejected in a game, minus how many it lost."""
    lost = sum(start.count(member) - end.count(member) for member in end.group_of(seat))
    return end.scores[seat - 1] - lost


def copies(position: _P) -> Iterator[_P]:
    """Yield all positions symmetric to a position, itself included. Some come more than once."""
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


def near(position: AbalonePosition, others: Sequence[AbalonePosition]) -> int | None:
    copied = set(copies(position))
    found = (index for index, other in enumerate(others) for copy in copied if _near(copy, other))
    return next(found, None)


def _near(one: AbalonePosition, other: AbalonePosition) -> bool:
    if one.turn == other.turn or len(one.seats) != len(other.seats):
        return False
    changed = [*map(int.bit_count, map(xor, one.marbles, other.marbles))]
    if sum(changed) > MOST_CHANGED:
        return False
    return _leads_to(one, other, changed) or _leads_to(other, one, changed)


def _leads_to(before: AbalonePosition, after: AbalonePosition, changed: Sequence[int]) -> bool:
    if before.turn is None or changed[before.turn - 1] not in (sum(changed), PUSHES):
        return False
    same = sameness(after)
    reached = (before.play(move).position for move in before.legal_moves())
    return any(sameness(position) == same for position in reached)


def _ways() -> Iterator[dict[int, int]]:
    """Yield each symmetry of the board. It maps a cell to the set of its one target cell."""
    rays = [(cell // 10 - _ROW, cell % 10 - _COLUMN) for cell in CELLS]
    for lies in (rays, [(row, row - column) for row, column in rays]):  # as it is, and mirrored
        for _ in range(6):
            yield {
                cell: 1 << 10 * (_ROW + row) + _COLUMN + column
                for cell, (row, column) in zip(CELLS, lies, strict=True)
            }
            lies = [(column, column - row) for row, column in lies]  # turned by a sixth


_WAYS = tuple(_ways())
