"""The one loop that moves a board on, for commands, robots, timers and the operator."""

from collections.abc import Callable
from datetime import datetime

from pbm.events import Event
from pbm.play.boards import request_move
from pbm.play.ending import settle_end
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board

Changed = tuple[Board, list[Event]]  # a board after a change, and what happened
Change = Callable[[Board], Changed]
MOST_ANSWERS = 24  # stored answers in one turn


def stored_answer(work: UnitOfWork, board: Board) -> Change | None:  # noqa: ARG001 - see below
    """Return the stored answer of the player to move, or None. Players cannot store any yet."""
    return None


def advance(
    work: UnitOfWork, board: Board, change: Change, now: datetime, *, begins_anew: bool = False
) -> list[Event]:
    """Change a board, settle its end, play stored answers, and ask for the next move, once.

    With `begins_anew`, the end of the game starts no further round of a match. Raises what `change`
    raises.
    """
    events = list[Event]()
    following: Change | None = change
    for _ in range(1 + MOST_ANSWERS):
        if following is None:
            break
        after, caused = following(board)
        board, settled = settle_end(work, board, after, now, begins_anew=begins_anew)
        events += [*caused, *settled]
        following = stored_answer(work, board) if board.playing else None
    request_move(work, board, now)
    return events
