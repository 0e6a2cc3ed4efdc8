"""The board: 61 cells in nine rows, steps between them, and sets of cells.

The cell in a row and a column is the number 10 * row + column: a1 is 11, e5 is 55, i9 is 99. A step
is a number that is added to a cell. Row 0, row 10 and column 0 are outside the board, so a step
over an edge never leads to another cell of the board. A set of cells is an integer with a bit for
each cell, so a shift of the bits moves all cells by a step. (`docs/rules.md`, section 1)
"""

from collections.abc import Iterator
from functools import reduce
from operator import or_

from pbm.rules.contract import NotationError

ROWS = "abcdefghi"

RIGHT, LOWER_RIGHT, LOWER_LEFT = 1, 11, 10
LEFT, UPPER_LEFT, UPPER_RIGHT = -RIGHT, -LOWER_RIGHT, -LOWER_LEFT

STEPS = (RIGHT, LOWER_RIGHT, LOWER_LEFT, LEFT, UPPER_LEFT, UPPER_RIGHT)  # clockwise

AXES = (RIGHT, LOWER_LEFT, LOWER_RIGHT)  # the directions of a line in reading order

LONGEST_LINE = 3

CELLS = tuple(
    10 * row + column for row in range(1, 10) for column in range(max(1, row - 4), min(10, row + 5))
)

INDEX = {cell: index for index, cell in enumerate(CELLS)}

_STARTS = (0, 5, 11, 18, 26, 35, 43, 50, 56, len(CELLS))
ROW_SLICES = tuple(map(slice, _STARTS, _STARTS[1:]))  # of `CELLS`

CENTRE = 55
BOARD = sum(1 << cell for cell in CELLS)


def format_cell(cell: int) -> str:
    row, column = divmod(cell, 10)
    return f"{ROWS[row - 1]}{column}"


CELL_NAMED = {format_cell(cell): cell for cell in CELLS}


def parse_cell(name: str) -> int:
    """Return the cell with a lower-case name such as `c5`. Raises NotationError for other texts."""
    if name in CELL_NAMED:
        return CELL_NAMED[name]
    row = [other for other in CELL_NAMED if other[0] == name[:1]]
    raise NotationError("no-such-cell", place=name, row=[row[0], row[-1]] if row else None)


def is_on_board(cell: int) -> bool:
    return bool(BOARD >> cell & 1)


def distance(one: int, other: int) -> int:
    rows, columns = one // 10 - other // 10, one % 10 - other % 10
    return max(abs(rows), abs(columns), abs(rows - columns))


RINGS = tuple(sum(1 << cell for cell in CELLS if distance(cell, CENTRE) == far) for far in range(5))
"""The cells by their distance from the centre."""


def line_between(one: int, other: int) -> tuple[int, ...] | None:
    """Return the cells from one cell to another, both included; None if they are not in line.

    >>> [format_cell(cell) for cell in line_between(parse_cell("c3"), parse_cell("a1")) or ()]
    ['c3', 'b2', 'a1']
    """
    length = distance(one, other)
    if length == 0:
        return (one,)
    step, rest = divmod(other - one, length)
    if rest or step not in STEPS:
        return None
    return tuple(one + step * number for number in range(length + 1))


def shifted(cells: int, step: int) -> int:
    """Return a set of cells moved by one step. Some of the result may be off the board."""
    return cells << step if step > 0 else cells >> -step


def before(cells: int, step: int) -> int:
    """Return the set of cells from which `step` leads to one of `cells`."""
    return cells >> step if step > 0 else cells << -step


EDGE = {step: BOARD & before(~BOARD, step) for step in STEPS}  # where a step leads off the board


def members(cells: int) -> Iterator[int]:
    """Yield the cells of a set, in reading order."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


def groups(cells: int) -> Iterator[int]:
    """Yield the connected groups in a set of cells, the topmost first."""
    while cells:
        group, reached = 0, cells & -cells
        while reached:
            group |= reached
            reached = reduce(or_, (shifted(reached, step) for step in STEPS)) & cells & ~group
        yield group
        cells ^= group


def set_of(cells: tuple[int, ...]) -> int:
    return sum(1 << cell for cell in cells)


_LINES = (
    tuple(range(cell, cell + axis * size, axis))
    for cell in CELLS
    for axis in AXES
    for size in range(1, LONGEST_LINE + 1)
)
LINES = {set_of(line): line for line in _LINES if all(map(is_on_board, line))}
"""The cells of every line in reading order, by the set of these cells."""
