"""Results of finished boards."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pbm.rules.contract import BreaksTies, Scores, has
from pbm.rules.sides import partners, teams
from pbm.store.db import UnitOfWork
from pbm.store.repositories.history import Meeting
from pbm.store.values.boards import Board


def places_of(board: Board, left: Mapping[int, int] = MappingProxyType({})) -> tuple[int, ...]:
    """Return the place of each seat on a finished board; 1 is the best. Partners share a place.

    The winners are first. In a draw, all players who have not left are first. Players who have left
    are last; among them, the one with the later last move has the better place. `left` has further
    seats that count as left, each with its last ply.
    """
    keys = [_key(board, seat.seat, left) for seat in board.seats]
    return tuple(sum(other < key for other in keys) + 1 for key in keys)


def _key(board: Board, seat: int, left: Mapping[int, int]) -> tuple[int, ...]:
    side, position = (seat, *partners(board.position, seat)), board.position
    if gone := [left[other] for other in side if other in left]:
        return 2, 1 - 2 * max(gone)
    if seat in (board.winners or ()):
        return (0,)
    if position.out.issuperset(side):
        return 2, -2 * max(board.seats[other - 1].last_ply for other in side)
    if not board.winners:
        return (0,)
    rank = position.outcome.ranks[seat - 1] if position.outcome else 0
    return 1, rank, -scores_of(board)[seat - 1], -balance_of(board, seat)


def scores_of(board: Board) -> tuple[int, ...]:
    game = board.rules
    return game.scores(board.position) if has(game, Scores) else (0,) * len(board.seats)


def is_behind(board: Board, seat: int) -> bool:
    """Return whether another side has scored more than a seat's."""
    scores, own = scores_of(board), {seat, *partners(board.position, seat)}
    others = (score for other, score in enumerate(scores, 1) if other not in own)
    return max(others, default=0) > scores[seat - 1]


def balance_of(board: Board, seat: int) -> int:
    """Return a seat's score by which a match breaks ties; 0 if the game has no such score."""
    game = board.rules
    return game.balance(board.start, board.position, seat) if has(game, BreaksTies) else 0


def places(board: Board) -> list[dict[str, Any]]:
    """Return each place with the handles of its players, the best place first.

    The list is empty if the game has no result, or has only two sides.
    """
    if board.winners is None or len(set(board.position.sides)) <= 2:
        return []
    handles: dict[int, list[str]] = {}
    for seat, place in zip(board.seats, places_of(board), strict=True):
        handles.setdefault(place, []).append(seat.handle)
    return [{"place": place, "handles": handles[place]} for place in sorted(handles)]


def seconds_taken(board: Board) -> int | None:
    """Return how long a game took; None without an outcome, or if it was imported."""
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
    """Count the results of the games that two players have finished together.

    `together` are games that both won as partners, `neither` those that other players won.

    >>> score_of([Meeting(3, 1, 2, (1,)), Meeting(2, 2, 1, (1,)), Meeting(1, 1, 2, ())])
    {'one': 1, 'other': 1, 'together': 0, 'draws': 1, 'neither': 0}
    """
    counted = Counter(
        (one in won, other in won) if won else None for _, one, other, won in meetings
    )
    return {name: counted[way] for name, way in _WAYS.items()}


def result_of(work: UnitOfWork, board: Board, player_id: int) -> dict[str, Any]:
    """Return the result of a finished board for one of its players, as data for a template."""
    left = work.plies.departures(board.id) if board.position.out else ()
    own_seats = [seat.seat for seat in board.seats_of(player_id)]
    had = (item.seat for item in work.boards.handovers(board) if item.player_id == player_id)
    seat = next(iter(own_seats or had))
    place = places_of(board)[seat - 1]
    sides = len(teams(board.start) or board.seats)
    own = partners(board.position, seat)
    how = "placed" if sides > 2 else "lost"
    if place == 1:
        how = "won" if board.winners else "drawn"
    if not own_seats:
        how = "handed-over"
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
        "latest": board.latest,
        "rated": board.rated,
    }
