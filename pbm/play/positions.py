"""Positions of a board replayed from its moves, and keys to find equal positions."""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice

from pbm.rules.contract import Claims, Game, HasCopies, Position, has
from pbm.rules.sides import turn
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import MARK, Board


def mark(game: Game, position: Position) -> str | None:
    """A key that is equal for repeated positions; None if the game has no claims."""
    if not has(game, Claims):
        return None
    return blake2b(game.sameness(position).encode(), digest_size=MARK // 2).hexdigest()


def marks_alike(board: Board) -> frozenset[str]:
    """The keys of a board's position and of its mirrored or turned copies."""
    game, position = board.rules, board.position
    copies = game.copies(position) if has(game, HasCopies) else (position,)
    return frozenset(filter(None, (mark(board.rules, copy) for copy in copies)))


def counted_from(board: Board, position: Position, ply: int, stood: str | None) -> dict[str, int]:
    """Arguments to count how often the position reached by `ply` has stood; `stood` is its key.

    `since` is the first ply that counts, `first` the count to start from, as the start position has
    no ply, and `most` the limit of the count.
    """
    game = board.rules
    if stood is None or not has(game, Claims):
        return {}
    since = ply - game.reversible(position)
    from_start = since <= 0 and stood == mark(board.rules, board.start)
    return {"since": since, "first": 2 if from_start else 1, "most": board.rules.info.repetitions}


def position_after(work: UnitOfWork, board: Board, ply: int) -> Position:
    """The position after `ply` plies, with departures. Raises RulesError for an illegal record."""
    *_, position = islice(_positions(work, board), ply + 1)
    return position


def positions_since(work: UnitOfWork, board: Board, ply: int) -> list[Position]:
    """The positions after `ply` plies and after each later one."""
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
