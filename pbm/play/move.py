"""A move, and what follows from it."""

from datetime import datetime

from pbm.events import Event, MovePlayed
from pbm.play.boards import add_move
from pbm.play.clocks.waits import count_move
from pbm.play.ending import settle_end
from pbm.play.offers import after_a_move
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board


def play_move(
    work: UnitOfWork, board: Board, text: str, now: datetime, arrived: datetime | None = None
) -> list[Event]:
    """Play a move for the seat whose turn it is. Raises Refusal.

    It answers what was asked for on the board, and may end the game. For the clock it was made
    when it `arrived`.
    """
    mover = board.to_move
    after = add_move(work, board, text, now)
    count_move(work, board, after, arrived or now)
    events: list[Event] = [MovePlayed(after.id, after.ply)]
    if mover:
        events += after_a_move(work, after, mover.player_id)
    return events + settle_end(work, board, after, now)
