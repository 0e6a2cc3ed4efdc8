"""The labelled board, drawn in text as every player gets it (rules, section 1)."""

from pbm.rules.abalone.board import ROW_SLICES, ROWS
from pbm.rules.abalone.position import Position, symbols

_MIDDLE_ROW = 5


def diagram(position: Position) -> str:
    """The board with its row and column labels, eleven lines without a newline at the end.

    >>> from pbm.rules.abalone.layouts import start
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
    signs = position.signs(symbols(position))
    return "\n".join(
        ["        1 2 3 4 5", "        / / / / / 6"]
        + [_row(number, signs[row]) for number, row in enumerate(ROW_SLICES, start=1)]
    )


def _row(number: int, signs: list[str]) -> str:
    indent = " " * abs(number - _MIDDLE_ROW)
    line = f"{indent}{ROWS[number - 1].upper()}- {' '.join(signs)}"
    if number >= _MIDDLE_ROW:
        return line
    next_column = number + _MIDDLE_ROW + 1
    return f"{line} / {next_column}" if next_column <= 9 else f"{line} /"
