"""The rows of the board with their labels, around whatever stands on the cells."""

from collections.abc import Sequence

from pbm.rules.abalone.board import ROW_SLICES, ROWS

_MIDDLE_ROW = 5


def labelled(signs: Sequence[str]) -> str:
    """Eleven lines with a sign for each cell, in reading order; no newline at the end."""
    return "\n".join(
        ["        1 2 3 4 5", "        / / / / / 6"]
        + [_row(number, signs[row]) for number, row in enumerate(ROW_SLICES, start=1)]
    )


def _row(number: int, signs: Sequence[str]) -> str:
    indent = " " * abs(number - _MIDDLE_ROW)
    line = f"{indent}{ROWS[number - 1].upper()}- {' '.join(signs)}"
    if number >= _MIDDLE_ROW:
        return line
    next_column = number + _MIDDLE_ROW + 1
    return f"{line} / {next_column}" if next_column <= 9 else f"{line} /"
