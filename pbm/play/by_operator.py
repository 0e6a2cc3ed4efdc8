"""What the operator does to a game: ends it, lets it go on, takes its last ply back.

Whoever was removed from the server stays out of it.
"""

from collections.abc import Sequence
from datetime import datetime

from pbm.events import Event
from pbm.play.boards import close_board, go_back, progress_at, take_out
from pbm.play.ending import settle_end
from pbm.play.replay import position_after
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board

BY_OPERATOR = "operator"


def end_board(
    work: UnitOfWork, board: Board, winners: Sequence[int] | None, now: datetime
) -> list[Event]:
    """End a board: closed without a result, or finished with winning seats (none: a draw)."""
    return settle_end(work, board, close_board(work, board, BY_OPERATOR, now, winners=winners), now)


def reopen_board(work: UnitOfWork, board: Board, now: datetime) -> list[Event]:
    """Let a game go on that was ended by word."""
    progress = progress_at(board, position_after(work, board, board.ply), board.ply)
    after = work.playing.set_progress(board, progress, now)
    return settle_end(work, board, _without_the_removed(work, after, now), now)


def undo_ply(work: UnitOfWork, board: Board, now: datetime) -> list[Event]:
    """Take the last ply back, and with it whoever resigned after it."""
    after = go_back(work, board, board.ply - 1, now)
    return settle_end(work, board, _without_the_removed(work, after, now), now)


def _without_the_removed(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Players may have been removed meanwhile, or by what was taken back: that stays."""
    gone = [
        seat.seat for seat in board.seats if work.players.get(seat.player_id).status == "removed"
    ]
    return take_out(work, board, gone, "removed", now)
