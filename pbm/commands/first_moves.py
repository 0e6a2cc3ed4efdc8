"""A first move that is not made: a reminder after two days, and after seven that is a decline.

Both count from the moment at which it is a player's turn for the first time. Nothing is changed
with the moves: a timer that comes looks whether the board still waits for what it was set for.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from pbm.commands.boards import decline_board
from pbm.commands.matches import after_the_end
from pbm.events import BoardStarted, Event, FirstMoveMissed
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Player, Timer

DECLINED_AFTER = timedelta(days=5)  # of the reminder


def still_waits(board: Board, timer: Timer) -> bool:
    """Whether a board waits for the first move that a timer was set for."""
    return board.awaited_first_move == timer.about


def decline_for(work: UnitOfWork, board: Board, player: Player, now: datetime) -> Iterator[Event]:
    """Close a board for a player who has not made a first move in time, as `decline` does."""
    successor = decline_board(work, board, player, now)
    yield FirstMoveMissed(board.id, player.handle, successor.id if successor else None)
    if successor:
        yield BoardStarted(successor.id, player.handle)
    else:
        yield from after_the_end(work, work.boards.get(board.id), now)
