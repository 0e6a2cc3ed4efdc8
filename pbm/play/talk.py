"""Who may write to whom."""

from datetime import datetime

from pbm.errors import Refusal
from pbm.play.limits import THREAD_OPEN
from pbm.store.values.boards import Board


def check_open(board: Board, now: datetime) -> None:
    """Raise Refusal if a board has been over for so long that no words go there."""
    if not board.playing and board.changed_at < now - THREAD_OPEN:
        told = {"number": board.id, "days": THREAD_OPEN.days}
        raise Refusal("thread-over", **told, handles=[seat.handle for seat in board.seats])
