"""What goes with each question about a board: how it came to stand so, and a seed."""

from zlib import crc32

from pbm.robots.courses import Course
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board


def course_of(work: UnitOfWork, board: Board) -> Course:
    """How a board came to stand as it does, as plain data."""
    left: dict[int, list[int]] = {}
    for departure in work.plies.departures(board.id):
        left.setdefault(departure.after_ply, []).append(departure.seat)
    steps: list[str | int] = [*left.get(0, ())]
    for ply in work.plies.of(board.id):
        steps += [ply.text, *left.get(ply.ply, ())]
    return Course(board.game, board.start_state, tuple(steps))


def seed_of(board: Board) -> int:
    """What decides a robot's choice among moves that are equally good."""
    return crc32(f"{board.id}.{board.ply}".encode())
