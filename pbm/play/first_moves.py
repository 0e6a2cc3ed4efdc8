"""A first move that is not made: a reminder after two days, and after seven that is a decline.

Both count from the moment at which it is a player's turn for the first time. Nothing is changed
with the moves: a timer that comes looks whether the board still waits for what it was set for.
"""

from datetime import datetime, timedelta
from typing import Any

from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.timers import Timer, TimerKind

REMINDED_AFTER = timedelta(days=2)
DECLINED_AFTER = timedelta(days=5)  # of the reminder


def await_first_move(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Let a player be reminded whose turn it is for the first time; where it is not, do nothing.

    To be called wherever it may have become another player's turn.
    """
    awaited, mover = board.awaited_first_move, board.to_move
    if awaited and mover:
        kind, remind_at = TimerKind.FIRST_MOVE_REMINDER, now + REMINDED_AFTER
        whose: dict[str, Any] = {"board_id": board.id, "player_id": mover.player_id}
        work.timers.set(kind, awaited, now, remind_at, **whose)


def still_waits(board: Board, timer: Timer) -> bool:
    """Whether a board waits for the first move that a timer was set for."""
    return board.awaited_first_move == timer.about
