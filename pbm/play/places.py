"""How a game came out for everybody: places, and the time that it took."""

from typing import Any

from pbm.rules.contract import BreaksTies, Scores, has
from pbm.rules.sides import partners
from pbm.store.values.boards import Board

_SIDES = 3  # of fewer than these it is told who won, and that tells all
_Key = tuple[int, ...]


def places_of(board: Board) -> tuple[int, ...]:
    """The place of each seat on a finished board, 1 the best; partners share theirs.

    First are the winners, then those still in by what the game counts, then those who are out by
    their last move, the latest first. In a draw all who are still in are first.
    """
    keys = [_key(board, seat.seat) for seat in board.seats]
    return tuple(sum(other < key for other in keys) + 1 for key in keys)


def _key(board: Board, seat: int) -> _Key:
    """What a seat is placed by, the smallest first."""
    side, position = (seat, *partners(board.position, seat)), board.position
    if seat in (board.winners or ()):
        return (0,)
    if position.out.issuperset(side):
        return 2, -max(board.seats[other - 1].last_ply for other in side)
    if not board.winners:
        return (0,)
    rank = position.outcome.ranks[seat - 1] if position.outcome else 0
    return 1, rank, -scores_of(board)[seat - 1], -_balance(board, seat)


def scores_of(board: Board) -> tuple[int, ...]:
    """What each seat has scored so far; zero in a game that counts nothing."""
    game = board.rules
    return game.scores(board.position) if has(game, Scores) else (0,) * len(board.seats)


def _balance(board: Board, seat: int) -> int:
    game = board.rules
    return game.balance(board.start, board.position, seat) if has(game, BreaksTies) else 0


def places(board: Board) -> list[dict[str, Any]]:
    """The places and who shares each; empty if nothing came out, or only two sides have played."""
    if board.winners is None or len(set(board.position.sides)) < _SIDES:
        return []
    handles: dict[int, list[str]] = {}
    for seat, place in zip(board.seats, places_of(board), strict=True):
        handles.setdefault(place, []).append(seat.handle)
    return [{"place": place, "handles": handles[place]} for place in sorted(handles)]


def seconds_taken(board: Board) -> int | None:
    """How long a game took that is over, None where that isn't known: it came as a record."""
    if board.winners is None or board.from_record:
        return None
    return int((board.changed_at - board.started_at).total_seconds())
