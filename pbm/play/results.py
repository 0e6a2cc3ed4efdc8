"""Results of games: places, duration, results and scores of players."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pbm.rules.contract import BreaksTies, Scores, has
from pbm.rules.sides import partners, teams
from pbm.store.db import UnitOfWork
from pbm.store.repositories.history import Meeting
from pbm.store.values.boards import Board


def places_of(board: Board) -> tuple[int, ...]:
    """The place of each seat on a finished board, 1 the best; partners share theirs.

    The winners are first, in a draw all who are still in. Others still in follow by the game's
    ranking, then those who left, the latest first.
    """
    keys = [_key(board, seat.seat) for seat in board.seats]
    return tuple(sum(other < key for other in keys) + 1 for key in keys)


def _key(board: Board, seat: int) -> tuple[int, ...]:
    """Sort key for a seat's place, the best first."""
    side, position = (seat, *partners(board.position, seat)), board.position
    if seat in (board.winners or ()):
        return (0,)
    if position.out.issuperset(side):
        return 2, -max(board.seats[other - 1].last_ply for other in side)
    if not board.winners:
        return (0,)
    rank = position.outcome.ranks[seat - 1] if position.outcome else 0
    return 1, rank, -scores_of(board)[seat - 1], -balance_of(board, seat)


def scores_of(board: Board) -> tuple[int, ...]:
    """The score of each seat so far; zeros in games without scores."""
    game = board.rules
    return game.scores(board.position) if has(game, Scores) else (0,) * len(board.seats)


def balance_of(board: Board, seat: int) -> int:
    """The tie-break score of a seat; 0 in games without tie-breaks."""
    game = board.rules
    return game.balance(board.start, board.position, seat) if has(game, BreaksTies) else 0


def places(board: Board) -> list[dict[str, Any]]:
    """The handles at each place; empty without an outcome, or with only two sides."""
    if board.winners is None or len(set(board.position.sides)) <= 2:
        return []
    handles: dict[int, list[str]] = {}
    for seat, place in zip(board.seats, places_of(board), strict=True):
        handles.setdefault(place, []).append(seat.handle)
    return [{"place": place, "handles": handles[place]} for place in sorted(handles)]


def seconds_taken(board: Board) -> int | None:
    """The duration of a finished game; None without an outcome, or if it was imported."""
    if board.winners is None or board.from_record:
        return None
    return int((board.changed_at - board.started_at).total_seconds())


_WAYS = {
    "one": (True, False),
    "other": (False, True),
    "together": (True, True),
    "draws": None,
    "neither": (False, False),
}


def score_of(meetings: Sequence[Meeting]) -> dict[str, int]:
    """Games of two players: won by one, the other or both together, drawn, lost by both.

    >>> score_of([Meeting(3, 1, 2, (1,)), Meeting(2, 2, 1, (1,)), Meeting(1, 1, 2, ())])
    {'one': 1, 'other': 1, 'together': 0, 'draws': 1, 'neither': 0}
    """
    counted = Counter(
        (one in won, other in won) if won else None for _, one, other, won in meetings
    )
    return {name: counted[way] for name, way in _WAYS.items()}


def result_of(work: UnitOfWork, board: Board, player_id: int) -> dict[str, Any]:
    """A finished board as seen by one of its players.

    `how` is `won`, `drawn`, `lost`, or `placed` with three sides or more; `others` are the
    opponents, `left` handles of who left, and how.
    """
    left = work.plies.departures(board.id) if board.position.out else ()
    seat = board.seats_of(player_id)[0].seat
    place = places_of(board)[seat - 1]
    sides = len(teams(board.start) or board.seats)
    own = partners(board.position, seat)
    how = "placed" if sides > 2 else "lost"
    if place == 1:
        how = "won" if board.winners else "drawn"
    handles = {item.seat: item.handle for item in board.seats}
    return {
        "number": board.id,
        "day": str(board.changed_at.date()),
        "how": how,
        "place": place,
        "sides": sides,
        "partners": [handles[other] for other in own],
        "others": [handles[other] for other in handles if other not in (seat, *own)],
        "left": [(handles[item.seat], item.how) for item in left],
        "ply": board.ply,
        "rated": board.rated,
    }
