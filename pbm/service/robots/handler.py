"""The interface of the handlers of search jobs, and what they share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from pbm.mail.site import Site
from pbm.play.turn import Turn
from pbm.robots.thinking import Course
from pbm.service.robots.worker_processes import Computation
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.queues import SearchJob


@dataclass(frozen=True, kw_only=True)
class RobotTurn(Turn):
    """The turn in which a search job is finished; its board is locked."""

    job: SearchJob
    board: Board


@dataclass(frozen=True)
class JobHandler:
    """The functions for the jobs of one kind.

    `prepare` returns the computation, easier after failed tries, or None if the job is obsolete.
    `finish` acts on the result, `give_up` replaces it after too many failures. Both check again
    whether the job is obsolete, and return the outcome for the log.
    """

    prepare: Callable[[UnitOfWork, SearchJob, Board, Site], Computation | None]
    finish: Callable[[RobotTurn, Any], str]
    give_up: Callable[[RobotTurn], str]


def course_of(work: UnitOfWork, board: Board) -> Course:
    """A board's game so far, as plain data for a worker process."""
    left: dict[int, list[int]] = {}
    for departure in work.plies.departures(board.id):
        left.setdefault(departure.after_ply, []).append(departure.seat)
    steps: list[str | int] = [*left.get(0, ())]
    for ply in work.plies.of(board.id):
        steps += [ply.text, *left.get(ply.ply, ())]
    return Course(board.game, board.start_state, tuple(steps))


def seed_of(board: Board) -> int:
    """The seed for a robot's choice among equally good moves."""
    return crc32(f"{board.id}.{board.ply}".encode())
