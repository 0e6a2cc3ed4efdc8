"""Positions out of the moves, which are the truth."""

from collections.abc import Iterator
from itertools import islice

from pbm.rules.contract import Position
from pbm.rules.sides import turn
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board


def position_after(work: UnitOfWork, board: Board, ply: int) -> Position:
    """Return the position after `ply` plies, seats given up by then included.

    Raises RulesError where a recorded move is not legal.
    """
    position = board.start
    for number, reached in enumerate(_positions(work, board)):
        if number > ply:
            break
        position = reached
    return position


def positions_since(work: UnitOfWork, board: Board, ply: int) -> list[Position]:
    """Return the positions after `ply` plies and after each one since, up to the current one."""
    return list(islice(_positions(work, board), ply, None))


def _positions(work: UnitOfWork, board: Board) -> Iterator[Position]:
    position = board.start
    left: dict[int, list[int]] = {}
    for departure in work.plies.departures(board.id):
        left.setdefault(departure.after_ply, []).append(departure.seat)
    for seat in left.get(0, ()):
        position = position.leave(seat)
    yield position
    for ply in work.plies.of(board.id):
        move = position.parse(ply.text, turn(position) or ply.seat)
        position = position.play(move).position
        for seat in left.get(ply.ply, ()):
            position = position.leave(seat)
        yield position
