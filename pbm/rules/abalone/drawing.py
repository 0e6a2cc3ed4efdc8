"""What a picture of the board shows, as plain data: whoever draws it need not know the game.

`GROUND` is what never changes; `drawing` describes what stands on it and what moved last.
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

from pbm.rules.abalone.board import (
    CELL_NAMED,
    CELLS,
    CENTRE,
    LEFT,
    ROWS,
    STEPS,
    UPPER_RIGHT,
    is_on_board,
    shifted,
)
from pbm.rules.abalone.notation import read_canonical
from pbm.rules.abalone.position import Position, symbols
from pbm.rules.contract import Ground

_ROW_HEIGHT = sqrt(3) / 2
_ANGLE = 60  # degrees from one direction to the next
_TO_LABEL = 1.2  # from the middle of the last cell; leaves room for a piece over the edge
_INDEX = {cell: index for index, cell in enumerate(CELLS)}

Point = tuple[float, float]


def drawing(
    position: Position, move: str | None = None, effect: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What to draw, as a JSON object; `move` is the canonical text of the move that led here.

    `signs` has one character for each cell of the ground: `.` for an empty one, the digit of the
    seat, or `#` for what never moves; `seats` has what is written on the pieces of each seat.
    Of a move, `left` and `came` are the cells that it emptied and those where its own pieces are
    now, by index; `towards` is its direction in degrees, clockwise from the right; `off` is the
    cell over whose edge a piece went and the digit of its seat.

    >>> from pbm.rules.abalone import parse_move, play, start
    >>> after = play(start(), parse_move("a1-c3,d4", start())).position
    >>> found = drawing(after, "a1-c3,b2")
    >>> found["signs"][:11], found["seats"]
    ('.1111111111', 'ox')
    >>> found["left"], found["came"], found["towards"], found["off"]
    ([0], [6, 13, 21], 60, None)
    """
    described: dict[str, Any] = {
        "signs": "".join(position.signs("".join(map(str, position.seats)))),
        "seats": symbols(position),
    }
    if move is not None:
        described |= _moved(move, effect or {})
    return described


def _moved(text: str, effect: Mapping[str, Any]) -> dict[str, Any]:
    move = read_canonical(text)
    came = shifted(move.marbles, move.step)
    return {
        "left": [_INDEX[cell] for cell in move.cells if not came >> cell & 1],
        "came": [_INDEX[cell + move.step] for cell in move.cells],
        "towards": _ANGLE * STEPS.index(move.step),
        "off": [_INDEX[CELL_NAMED[effect["from"]]], str(effect["ejected"])] if effect else None,
    }


def _point(cell: int) -> Point:
    """The middle of a cell, or of a place beside the board; that of the centre is (0, 0)."""
    rows = cell // 10 - CENTRE // 10
    columns = cell % 10 - CENTRE % 10
    return columns - rows / 2, rows * _ROW_HEIGHT


def _beside(cell: int, step: int) -> Point:
    """Where the label of a line of cells stands that ends in that direction."""
    (x, y), (towards_x, towards_y) = _point(cell), _point(CENTRE + step)
    return x + _TO_LABEL * towards_x, y + _TO_LABEL * towards_y


def _labels() -> tuple[tuple[str, Point], ...]:
    """The letters at the left end of each row, the digits at the upper end of each column."""
    rows = [
        (ROWS[cell // 10 - 1].upper(), _beside(cell, LEFT))
        for cell in CELLS
        if not is_on_board(cell + LEFT)
    ]
    columns = [
        (str(cell % 10), _beside(cell, UPPER_RIGHT))
        for cell in CELLS
        if not is_on_board(cell + UPPER_RIGHT)
    ]
    return (*rows, *columns)


GROUND = Ground(
    names=tuple(CELL_NAMED),
    cells=tuple(map(_point, CELLS)),
    labels=_labels(),
    corners=tuple(_point(CENTRE + 4 * step) for step in STEPS),
    width=396,
    height=328,
    middle=(198, 173),  # a little low, as the labels are above
    scale=(36, 31 * 2 / sqrt(3)),  # 31 from row to row
)
"""The board that every game is played on."""
