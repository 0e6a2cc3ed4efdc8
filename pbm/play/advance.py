"""The one loop that moves a board on, for commands, robots, timers and the operator.

After each change the end of the game is settled: clocks, ratings, and the next round of a match.
"""

from datetime import datetime

from pbm.events import BoardEnded, BoardReopened, Event
from pbm.play import plans
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
MOST_PLANNED = 24  # planned moves in one turn


def advance(
    work: UnitOfWork,
    before: Board,
    changed: Changed,
    now: datetime,
    *,
    begins_anew: bool = False,
    more_comes: bool = False,
) -> list[Event]:
    """After a change, settle a board's end, play what is planned, and ask for the next move, once.

    `before` is the board as it was. With `begins_anew`, the end of the game starts no further round
    of a match. With `more_comes` planned moves wait for `play_on`, since more commands come with
    the change.
    """
    board, events = _settled(work, before, changed, now, begins_anew=begins_anew)
    if not more_comes:
        board, planned = _play_plans(work, board, now)
        events += planned
    request_move(work, board, now)
    return events


def play_on(work: UnitOfWork, board: Board, now: datetime) -> list[Event]:
    """Play what the players of a board have planned, and ask for the next move."""
    after, events = _play_plans(work, board, now)
    if after is not board:
        request_move(work, after, now)
    return events


def _play_plans(work: UnitOfWork, board: Board, now: datetime) -> Changed:
    events = list[Event]()
    for _ in range(MOST_PLANNED if board.planned else 0):
        step, ended = plans.planned_move(work, board) if board.playing else (None, [])
        events += ended
        if step is None:
            break
        board, caused = _settled(work, board, plans.play_planned(work, board, step, now), now)
        events += caused
    return board, events


def _settled(
    work: UnitOfWork, before: Board, changed: Changed, now: datetime, *, begins_anew: bool = False
) -> Changed:
    after, events = changed
    if after.is_left_to_robots and not teams(after.start):
        after = close_board(work, after, "agreed", now, winners=())
    if _end(before) != _end(after):
        events = [*events, *_ended(work, before, after, now, begins_anew=begins_anew)]
    return after, [*events, *plans.follow(work, before, after, events)]


def _ended(
    work: UnitOfWork, before: Board, after: Board, now: datetime, *, begins_anew: bool
) -> list[Event]:
    """Do what follows the end of a board's game, or its reopening."""
    events: list[Event] = []
    if not before.playing:
        uncount_board(work, before, now)
        events.append(BoardReopened(after.id))
    if after.playing:
        start_clock(work, after, now)
        return events
    count_board(work, after, now)
    places = None if after.winners is None else places_of(after)
    events += [BoardEnded(after.id, after.ended_by or "", places), *robot_beaten(work, after)]
    return events if begins_anew else events + go_on(work, after, now)


def _end(board: Board) -> tuple[BoardStatus, str | None, tuple[int, ...] | None]:
    return board.status, board.ended_by, board.winners
