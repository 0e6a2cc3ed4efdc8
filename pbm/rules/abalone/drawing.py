"""The content of a picture, as in `contract.Draws`: the empty board, marbles and last moves."""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

from pbm.rules.abalone.board import (
    CELL_NAMED,
    CELLS,
    CENTRE,
    INDEX,
    LEFT,
    ROWS,
    STEPS,
    UPPER_RIGHT,
    LineMove,
    format_cell,
    is_on_board,
    shifted,
)
from pbm.rules.abalone.notation import read_canonical
from pbm.rules.abalone.placement import Placement, symbol
from pbm.rules.contract import Ground, Moved

_ROW_HEIGHT = sqrt(3) / 2
_ANGLE = 60  # degrees from one direction to the next
# The start of a label's stroke, and the gap between its end and the middle of the label.
_STROKE, _SHORT = 0.56, 0.26
_AWAY = 1.3  # distance of a label from the last cell of its line

Point = tuple[float, float]


def drawing(position: Placement, moves: Sequence[Moved]) -> dict[str, Any]:
    return {
        "signs": position.digits(),
        "seats": "".join(symbol(position, seat) for seat in position.seats),
        "moves": list(_marked(position, moves)),
    }


def told_move(position: Placement, moved: Moved) -> dict[str, Any]:
    """Return data about a move for templates, with the keys `symbol`, `came`, `left` and `off`.

    `came` are the cells to which the line moved, `left` those that it emptied. `off` is None if no
    marble was ejected.
    """
    move, effect = read_canonical(moved.move), moved.effect
    off = (
        {"symbol": symbol(position, effect["ejected"]), "from": effect["from"]} if effect else None
    )
    return {
        "symbol": symbol(position, moved.seat),
        "came": [format_cell(cell + move.step) for cell in move.cells],
        "left": [format_cell(cell) for cell in _emptied(move)],
        "off": off,
    }


def _marked(position: Placement, moves: Sequence[Moved]) -> Iterator[dict[str, Any]]:
    for moved in moves:
        move, effect = read_canonical(moved.move), moved.effect
        own = {moved.seat, position.partner(moved.seat)}
        came = [cell + move.step for cell in move.cells]
        if move.in_line and move.step > 0:
            came.reverse()  # the foremost first
        # A later move may have pushed them on.
        still = [cell for cell in came if position.seat_at(cell) in own]
        yield {
            "move": moved.move,
            "left": [INDEX[cell] for cell in _emptied(move)],
            "came": [INDEX[cell] for cell in still],
            "towards": _ANGLE * STEPS.index(move.step),
            "off": [INDEX[CELL_NAMED[effect["from"]]], str(effect["ejected"])] if effect else None,
        }


def _emptied(move: LineMove) -> list[int]:
    came = shifted(move.marbles, move.step)
    return [cell for cell in move.cells if not came >> cell & 1]


def _point(cell: int) -> Point:
    """Return the middle of a cell on the board or beside it; the centre of the board is (0, 0)."""
    rows, columns = cell // 10 - CENTRE // 10, cell % 10 - CENTRE % 10
    return columns - rows / 2, rows * _ROW_HEIGHT


def _beside(cell: int, step: int, away: float) -> Point:
    """Return the point that lies `away` steps from a cell, in the direction of `step`."""
    (x, y), (towards_x, towards_y) = _point(cell), _point(CENTRE + step)
    return x + away * towards_x, y + away * towards_y


def _ends() -> Iterator[tuple[str, int, int]]:
    """Yield the label of each end of a row or column, the cell next to it, and the step to it."""
    for cell in CELLS:
        for label, step in ((ROWS[cell // 10 - 1].upper(), LEFT), (str(cell % 10), UPPER_RIGHT)):
            if not is_on_board(cell + step):
                yield label, cell, step


GROUND = Ground(
    names=tuple(CELL_NAMED),
    cells=tuple(map(_point, CELLS)),
    labels=tuple((label, _beside(cell, step, _AWAY)) for label, cell, step in _ends()),
    corners=tuple(_point(CENTRE + 4 * step) for step in STEPS),
    width=384,
    height=334,
    middle=(202, 175),
    scale=(36, 31 * 2 / sqrt(3)),  # 31 from row to row
    strokes=tuple(
        (_beside(cell, step, _STROKE), _beside(cell, step, _AWAY - _SHORT))
        for label, cell, step in _ends()
        if label.isdigit()
    ),
)
