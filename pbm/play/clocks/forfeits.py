"""Players who have run out of time: out of the game as if they had resigned."""

from datetime import datetime

from pbm.events import Event
from pbm.events.board import ForfeitClaimed, Forfeited
from pbm.play.clocks.waits import may_be_claimed, wait_of
from pbm.play.leave import leave_board
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

FORFEITED = "forfeited"


def forfeit(work: UnitOfWork, board: Board, player: Player, now: datetime) -> list[Event]:
    """Take a player out of the game whose time has run out; everybody is told."""
    return [
        Forfeited(board.id, player.handle),
        *leave_board(work, board, player, FORFEITED, now),
    ]


def claim_forfeit(work: UnitOfWork, board: Board, player: Player, now: datetime) -> list[Event]:
    """Take out of the game whoever may be claimed to have run out of time; nothing for nobody."""
    wait = wait_of(work, board, now)
    if wait is None or wait.player.id == player.id or not may_be_claimed(board, wait):
        return []
    claimed = ForfeitClaimed(board.id, wait.player.handle, player.handle)
    return [claimed, *leave_board(work, board, wait.player, FORFEITED, now)]


def claimable_from(
    work: UnitOfWork, board: Board, player: Player, now: datetime
) -> datetime | None:
    """When a player may claim that another has run out of time, if mail to that one comes back."""
    wait = wait_of(work, board, now)
    if wait is None or wait.player.id == player.id or wait.player.unreachable_since is None:
        return None
    return wait.ends_at


def forfeited_at(work: UnitOfWork, board: Board, player_id: int) -> datetime | None:
    """When a player ran out of time on a board; None for one who did not."""
    seats = {seat.seat for seat in board.seats_of(player_id)}
    if not seats & set(board.position.out):
        return None
    left = work.plies.departures(board.id)
    return next(
        (item.left_at for item in left if item.seat in seats and item.how == FORFEITED), None
    )
