"""The operator's actions on a game: end it, reopen it, take its last ply back.

Players removed from the server stay out of it.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from pbm.events import Event
from pbm.play.actions import FORFEITED
from pbm.play.boards import close_board, go_back, progress_at, take_out
from pbm.play.ending import settle_end
from pbm.play.positions import position_after
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Departure
from pbm.store.values.players import PlayerStatus

BY_OPERATOR = "operator"


def end_board(
    work: UnitOfWork, board: Board, winners: Sequence[int] | None, now: datetime
) -> list[Event]:
    """End a board: closed without a result, or finished with winning seats (none: a draw)."""
    return settle_end(work, board, close_board(work, board, BY_OPERATOR, now, winners=winners), now)


def forfeits_that_ended(work: UnitOfWork, board: Board) -> tuple[Departure, ...]:
    """The forfeits that ended a board: those at the time of the last departure. Empty if it
    ended otherwise."""
    left = () if board.playing else work.plies.departures(board.id)
    last = left[-1] if left else None
    if last is None or last.how != FORFEITED or last.after_ply < board.ply:
        return ()
    robots = {seat.player_id for seat in board.seats if seat.robot}
    if board.position.outcome is None and not robots.issuperset(board.still_in):
        return ()
    return tuple(item for item in left if item.how == FORFEITED and item.left_at == last.left_at)


def reopen_board(work: UnitOfWork, board: Board, now: datetime) -> list[Event]:
    """Reopen a board that did not end by a move; forfeits that ended it are lifted."""
    lifted = forfeits_that_ended(work, board)
    if lifted:
        work.playing.drop_departures(board, lifted[0].left_at)
        _lift(work, board, lifted)
    progress = progress_at(board, position_after(work, board, board.ply), board.ply)
    after = work.playing.set_progress(board, progress, now)
    return settle_end(work, board, _without_the_removed(work, after, now), now)


def undo_ply(work: UnitOfWork, board: Board, now: datetime) -> list[Event]:
    """Take back the last ply, and all resignations and forfeits after it."""
    _lift(work, board, forfeits_after(work, board, board.ply))
    after = go_back(work, board, board.ply - 1, now)
    return settle_end(work, board, _without_the_removed(work, after, now), now)


def forfeits_after(work: UnitOfWork, board: Board, ply: int) -> tuple[Departure, ...]:
    """The forfeits since a ply was played."""
    left = work.plies.departures(board.id)
    return tuple(item for item in left if item.how == FORFEITED and item.after_ply >= ply)


def _lift(work: UnitOfWork, board: Board, forfeits: Iterable[Departure]) -> None:
    """End the absence of players whose forfeit cost rating."""
    for item in forfeits:
        if not item.spared:
            work.players.end_absence(board.seats[item.seat - 1].player_id)


def _without_the_removed(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Take removed players out again, as reopening or undoing may have brought them back."""
    gone = [
        seat.seat
        for seat in board.seats
        if work.players.get(seat.player_id).status == PlayerStatus.REMOVED
    ]
    return take_out(work, board, gone, "removed", now)
