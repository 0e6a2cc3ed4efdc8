"""The copies of a position: turned, mirrored, or with the seats exchanged."""

from collections.abc import Iterator
from dataclasses import replace

from pbm.rules.abalone.board import CELLS, CENTRE, members
from pbm.rules.abalone.position import Position

_ROW, _COLUMN = divmod(CENTRE, 10)


def copies(position: Position) -> Iterator[Position]:
    """The positions in which the same moves are good, once these are turned and mirrored alike.

    The position itself is among them, and some may come more than once.
    """
    for way in _WAYS:
        placed = tuple(sum(way[cell] for cell in members(own)) for own in position.marbles)
        for later in range(position.players):
            first = position.players - later
            yield replace(
                position,
                marbles=placed[first:] + placed[:first],
                scores=position.scores[first:] + position.scores[:first],
                turn=position.turn and _moved_on(position.turn, later, position),
                out=frozenset(_moved_on(seat, later, position) for seat in position.out),
            )


def _moved_on(seat: int, later: int, position: Position) -> int:
    return (seat - 1 + later) % position.players + 1


def _turned(cell: int) -> int:
    """Where a cell lies once the board is turned by a sixth, clockwise."""
    row, column = cell // 10 - _ROW, cell % 10 - _COLUMN
    return 10 * (_ROW + column) + _COLUMN + column - row


def _mirrored(cell: int) -> int:
    """Where it lies once left and right are exchanged."""
    row, column = cell // 10 - _ROW, cell % 10 - _COLUMN
    return 10 * (_ROW + row) + _COLUMN + row - column


def _ways() -> Iterator[dict[int, int]]:
    """For each way in which the board lies on itself, the set of one that each cell becomes."""
    for cells in (CELLS, tuple(map(_mirrored, CELLS))):
        lies = cells
        for _ in range(6):
            yield {cell: 1 << other for cell, other in zip(CELLS, lies, strict=True)}
            lies = tuple(map(_turned, lies))


_WAYS = tuple(_ways())
