"""What follows from whatever was done to a board: whose first move it waits for, and its end."""

from datetime import datetime

from pbm.events import BoardEnded, BoardReopened, Event
from pbm.play.awaited import await_move
from pbm.play.boards import close_board
from pbm.play.clocks.waits import start_clock
from pbm.play.matches import go_on
from pbm.play.places import places_of
from pbm.play.ratings import count_board, uncount_board
from pbm.rules.sides import teams
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board


def settle_end(
    work: UnitOfWork, before: Board, after: Board, now: datetime, *, begins_anew: bool = False
) -> list[Event]:
    """What follows where something has ended a board, or lets it go on again.

    Whatever is done to a board comes by here, with the board as it was and as it is now. Where it
    is over in another way than before, that end is taken back first. Where only robots are left,
    they agree to a draw, as nobody would see how they go on; but in teams whoever has left them
    wins or loses with a partner. `begins_anew`: those who are left
    begin the same on another board.
    """
    if after.is_left_to_robots and not teams(after.start):
        after = close_board(work, after, "agreed", now, winners=())
    await_move(work, after, now)
    if _end(before) == _end(after):
        return []
    events: list[Event] = [] if before.playing else [BoardReopened(after.id)]
    if not before.playing:
        uncount_board(work, before, now)
    if after.playing:
        start_clock(work, after, now)
        return events
    count_board(work, after, now)
    places = None if after.winners is None else places_of(after)
    events.append(BoardEnded(after.id, after.ended_by or "", places))
    return events if begins_anew else events + go_on(work, after, now)


def _end(board: Board) -> tuple[str, str | None, tuple[int, ...] | None]:
    return board.status, board.ended_by, board.winners
