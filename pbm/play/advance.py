"""The one loop that moves a board on, for commands, robots, timers and the operator.

After each change the end of the game is settled: clocks, ratings, and the next round of a match.
"""

from collections.abc import Callable
from datetime import datetime

from pbm.events import BoardEnded, BoardReopened, Event
from pbm.play.begin import robot_beaten
from pbm.play.boards import close_board, request_move
from pbm.play.clocks.waits import start_clock
from pbm.play.matches import go_on
from pbm.play.ratings import count_board, uncount_board
from pbm.play.results import places_of
from pbm.rules.sides import teams
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, BoardStatus

Changed = tuple[Board, list[Event]]  # a board after a change, and what happened
Change = Callable[[Board], Changed]
MOST_ANSWERS = 24  # stored answers in one turn


def stored_answer(work: UnitOfWork, board: Board) -> Change | None:  # noqa: ARG001 - see below
    """Return the stored answer of the player to move, or None. Players cannot store any yet."""
    return None


def advance(
    work: UnitOfWork, board: Board, change: Change, now: datetime, *, begins_anew: bool = False
) -> list[Event]:
    """Change a board, settle its end, play stored answers, and ask for the next move, once.

    With `begins_anew`, the end of the game starts no further round of a match. Raises what `change`
    raises.
    """
    events = list[Event]()
    following: Change | None = change
    for _ in range(1 + MOST_ANSWERS):
        if following is None:
            break
        after, caused = following(board)
        board, settled = _after_change(work, board, after, now, begins_anew=begins_anew)
        events += [*caused, *settled]
        following = stored_answer(work, board) if board.playing else None
    request_move(work, board, now)
    return events


def _after_change(
    work: UnitOfWork, before: Board, after: Board, now: datetime, *, begins_anew: bool = False
) -> tuple[Board, list[Event]]:
    """Do what follows if a board's game has ended, or has been reopened; return the board.

    If `begins_anew` is set, no further round of a match is started.
    """
    if after.is_left_to_robots and not teams(after.start):
        after = close_board(work, after, "agreed", now, winners=())
    if _end(before) == _end(after):
        return after, []
    events: list[Event] = [] if before.playing else [BoardReopened(after.id)]
    if not before.playing:
        uncount_board(work, before, now)
    if after.playing:
        start_clock(work, after, now)
        return after, events
    count_board(work, after, now)
    places = None if after.winners is None else places_of(after)
    events += [BoardEnded(after.id, after.ended_by or "", places), *robot_beaten(work, after)]
    return after, events if begins_anew else events + go_on(work, after, now)


def _end(board: Board) -> tuple[BoardStatus, str | None, tuple[int, ...] | None]:
    return board.status, board.ended_by, board.winners
