"""Whoever a board waits for: a person is reminded of a first move, a robot thinks."""

from datetime import datetime

from pbm.play.first_moves import await_first_move
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.thoughts import ThoughtKind


def await_move(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Let happen what a board waits for, if that is anything that we bring about.

    To be called wherever it may have become another player's turn.
    """
    mover = board.to_move
    if mover is None or mover.robot is None:
        await_first_move(work, board, now)
    else:
        work.thoughts.ask(
            *(ThoughtKind.MOVE, awaited_move(board, mover.player_id), now),
            board_id=board.id,
            ply=board.ply,
            player_id=asked_by(board),
        )


def awaited_move(board: Board, player_id: int) -> str:
    """What names the move that a board waits for: after a take-back it is another one, and once
    somebody has left."""
    return f"{board.id}.{board.ply}.{board.taken_back}.{player_id}.{len(board.still_in)}"


def asked_by(board: Board) -> int:
    """The player in whose share it is that a robot moves: the first person who is still in, or the
    robot itself where there is none."""
    mover = board.to_move
    people = [seat.player_id for seat in board.seats if seat.robot is None]
    still_in = board.still_in
    first = next((player for player in people if player in still_in), None)
    return first or (people[0] if people else mover.player_id if mover else 0)
