"""How finished games went for a player, and for two players with each other."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pbm.play.places import places_of
from pbm.rules.sides import partners, teams
from pbm.store.db import UnitOfWork
from pbm.store.history import Meeting
from pbm.store.values.boards import Board

_TWO = 2


class Score(NamedTuple):
    """Of the games of two players, how many the one has won and the other, how many they have won
    or drawn together, and how many somebody else has won."""

    one: int
    other: int
    together: int
    draws: int
    neither: int


class Result(NamedTuple):
    """A finished game as it went for one of its players.

    `how` is `won`, `drawn`, `lost`, or `placed` where three sides or more played it; `others` are
    the opponents. `left` tells who left it, and how.
    """

    number: int
    day: str
    how: str
    place: int
    sides: int
    partners: tuple[str, ...]
    others: tuple[str, ...]
    left: tuple[tuple[str, str], ...]
    ply: int
    rated: bool


def score_of(meetings: Sequence[Meeting]) -> Score:
    """The score between two players.

    >>> score_of([Meeting(3, 1, 2, (1,)), Meeting(2, 2, 1, (1,)), Meeting(1, 1, 2, ())])
    Score(one=1, other=1, together=0, draws=1, neither=0)
    """
    counted = Counter(
        "draws" if not won else (one in won, other in won) for _, one, other, won in meetings
    )
    ways = ((True, False), (False, True), (True, True), "draws", (False, False))
    return Score(*(counted[way] for way in ways))


def result_of(work: UnitOfWork, board: Board, player_id: int) -> Result:
    """How a finished board went for somebody who sat there."""
    left = work.plies.departures(board.id) if board.position.out else ()
    seat = board.seats_of(player_id)[0].seat
    place = places_of(board)[seat - 1]
    sides = len(teams(board.start) or board.seats)
    own = partners(board.position, seat)
    handles = {item.seat: item.handle for item in board.seats}
    return Result(
        board.id,
        str(board.changed_at.date()),
        _how(board, place, sides),
        place,
        sides,
        tuple(handles[other] for other in own),
        tuple(handles[other] for other in handles if other not in (seat, *own)),
        tuple((handles[item.seat], item.how) for item in left),
        board.ply,
        board.rated,
    )


def _how(board: Board, place: int, sides: int) -> str:
    if place == 1:
        return "won" if board.winners else "drawn"
    return "placed" if sides > _TWO else "lost"
