"""How a game came out for everybody: places, and the time that it took."""

from collections.abc import Sequence
from itertools import groupby

from pbm.play.ending import ranks
from pbm.play.shown import PlaceShown
from pbm.store.values.boards import Board
from pbm.store.values.plies import Departure

_SIDES = 3  # of fewer than these it is told who won, and that tells all


def places(board: Board, departures: Sequence[Departure]) -> tuple[PlaceShown, ...]:
    """Who came in where: the winners, those still in, and those who left, the latest first.

    Empty where nothing came out, or only two sides have played.
    """
    found = ranks(board)
    if found is None or len(set(board.position.sides)) < _SIDES:
        return ()
    left = {item.seat: number for number, item in enumerate(reversed(departures), 1)}

    def order(seat: int) -> tuple[int, int]:
        return found[seat - 1], left.get(seat, 0)

    shown: list[PlaceShown] = []
    ahead = 0
    for _, tied in groupby(sorted(range(1, len(found) + 1), key=order), key=order):
        handles = tuple(board.seats[seat - 1].handle for seat in tied)
        shown.append(PlaceShown(ahead + 1, handles))
        ahead += len(handles)
    return tuple(shown)


def seconds_taken(board: Board) -> int | None:
    """How long a game took that is over, None where that isn't known: it came as a record."""
    if board.winners is None or board.from_record:
        return None
    return int((board.changed_at - board.started_at).total_seconds())
