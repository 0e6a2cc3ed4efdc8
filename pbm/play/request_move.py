"""Requesting a move: a person is reminded of a first move, a robot gets a job.

The reminder comes after two days and the decline after seven, counted from the player's first turn.
Moves change no timer; a due timer checks whether the board still waits for its move.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.queues import SearchKind, Timer, TimerKind

SECONDS: Mapping[str, float] = MappingProxyType({"pebble": 0.01, "cobble": 0.01, "boulder": 0.25})
"""The expected processor time of a search by each robot; short ones go first."""


def seconds_of(robot: str | None = None) -> float:
    """The expected processor time of a robot's search, by default of the longest."""
    return SECONDS.get(robot or "", max(SECONDS.values()))


def request_move(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Request the move that a board waits for: a reminder for a person's first move, a job for a
    robot.

    Called after anything that may pass the turn on.
    """
    mover = board.to_move
    if mover is None or mover.robot is None:
        request_first_move(work, board, now)
    else:
        work.search_jobs.ask(
            *(SearchKind.MOVE, move_key(board, mover.player_id), now),
            board_id=board.id,
            ply=board.ply,
            player_id=asked_by(board),
            seconds=seconds_of(mover.robot),
        )


def move_key(board: Board, player_id: int) -> str:
    """The key of the job for a move; it changes with a take-back, and when a player leaves."""
    return f"{board.id}.{board.ply}.{board.taken_back}.{player_id}.{len(board.still_in)}"


def asked_by(board: Board) -> int:
    """The player charged for a robot's move: the first person still in, or without people the
    robot itself."""
    mover = board.to_move
    people = [seat.player_id for seat in board.seats if seat.robot is None]
    still_in = board.still_in
    first = next((player for player in people if player in still_in), None)
    return first or (people[0] if people else mover.player_id if mover else 0)


REMINDED_AFTER = timedelta(days=2)
DECLINED_AFTER = timedelta(days=5)  # of the reminder


def request_first_move(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Set the reminder of a first move, if the board waits for one.

    Called after anything that may pass the turn on.
    """
    awaited, mover = board.awaited_first_move, board.to_move
    if awaited and mover:
        kind, remind_at = TimerKind.FIRST_MOVE_REMINDER, now + REMINDED_AFTER
        whose: dict[str, Any] = {"board_id": board.id, "player_id": mover.player_id}
        work.timers.set(kind, awaited, now, remind_at, **whose)


def still_waits(board: Board, timer: Timer) -> bool:
    """Whether a board waits for the first move that a timer was set for."""
    return board.awaited_first_move == timer.about
