"""When no clock runs on a board: a pause on which all agreed, and what is kept of a stop."""

from datetime import datetime

from pbm.errors import Refusal
from pbm.play.clocks.waits import PAUSED_AT_MOST, STOPPED_AT_MOST, look_in_time
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Player


def check_pause(board: Board) -> None:
    """Raise Refusal where a board cannot be paused: it is so already, or no clock runs yet."""
    if board.paused_since:
        raise Refusal("paused-already", number=board.id)
    if board.awaited_first_move:
        raise Refusal("too-early-to-pause", number=board.id)


def check_resume(board: Board) -> None:
    """Raise Refusal where there is no pause to end."""
    if not board.paused_since:
        raise Refusal("not-paused", number=board.id)


def pause(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Stop the clocks of a board. A move that is made meanwhile does not start them again."""
    return work.boards.set_wait(board, paused_since=board.paused_since or now)


def resume(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Let the clocks of a board run again; the time of the pause does not count."""
    since = board.paused_since
    if since is None:
        return board
    board = _kept(work, board, since, min(now, since + PAUSED_AT_MOST), paused_since=None)
    look_in_time(work, board, now)
    return board


def keep_stop(work: UnitOfWork, player: Player, now: datetime) -> None:
    """Keep in mind how long clocks have stood still for a player to whom mail arrives again.

    What was sent meanwhile has reminded nobody, so that reminders begin anew, for whom the time
    was over by then as well.
    """
    since = player.unreachable_since
    for number in work.boards.to_move(player.id) if since else ():
        board = work.boards.get(number, lock=True)
        if since and board.is_installed and not board.awaited_first_move:
            until = min(now, since + STOPPED_AT_MOST)
            board = _kept(work, board, since, until)
            stops = (*board.stops, (now, now))  # from here on there can be a warning
            look_in_time(work, work.boards.set_wait(board, stops=stops, reminded=0), now)


def _kept(
    work: UnitOfWork, board: Board, since: datetime, until: datetime, **changed: object
) -> Board:
    """Note a stretch of time that counts for nobody, as far as it is of the present wait."""
    begin = max(since, board.waits_since or since)
    stops = (*board.stops, (begin, until)) if begin < until else board.stops
    return work.boards.set_wait(board, stops=stops, **changed)
