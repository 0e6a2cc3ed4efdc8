"""The labelled board, drawn in text as every player gets it (rules, section 1)."""

from itertools import groupby

from pbm.rules.board import CELLS, ROWS
from pbm.rules.position import FIXED, Position, symbol

_MIDDLE_ROW = 5


def diagram(position: Position) -> str:
    """The board with its row and column labels, eleven lines without a newline at the end.

    >>> from pbm.rules.layouts import start
    >>> print(diagram(start("standard", 2)))
            1 2 3 4 5
            / / / / / 6
        A- o o o o o / 7
       B- o o o o o o / 8
      C- . . o o o . . / 9
     D- . . . . . . . . /
    E- . . . . . . . . .
     F- . . . . . . . .
      G- . . x x x . .
       H- x x x x x x
        I- x x x x x
    """
    rows = groupby(CELLS, key=lambda cell: cell // 10)
    return "\n".join(
        ["        1 2 3 4 5", "        / / / / / 6"]
        + [_row(number, [_sign(position, cell) for cell in cells]) for number, cells in rows]
    )


def _row(number: int, signs: list[str]) -> str:
    indent = " " * abs(number - _MIDDLE_ROW)
    line = f"{indent}{ROWS[number - 1].upper()}- {' '.join(signs)}"
    if number >= _MIDDLE_ROW:
        return line
    next_column = number + _MIDDLE_ROW + 1
    return f"{line} / {next_column}" if next_column <= 9 else f"{line} /"


def _sign(position: Position, cell: int) -> str:
    if position.fixed >> cell & 1:
        return FIXED
    seat = position.seat_at(cell)
    return "." if seat is None else symbol(position, seat)
