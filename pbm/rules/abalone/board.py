"""The board: 61 cells in nine rows, steps between them, and sets of cells.

The cell in a row and a column is the number 10 * row + column: a1 is 11, e5 is 55, i9 is 99. A step
is a number that is added to a cell. Row 0, row 10 and column 0 are outside the board, so a step
over an edge never leads to another cell of the board. A set of cells is an integer with a bit for
each cell, so a shift of the bits moves all cells by a step. (`docs/rules.md`, section 1)

A move takes a line of one to three marbles one step in one direction. A move *in line* goes along
the line, and may push opponents (a *sumito*). Every other move is *sideways*. (`docs/rules.md`,
section 3)

The generator takes sets of cells, and finds for each direction the rear cells of all lines at once:
`cells >> step` is the set of cells from which a step leads into `cells`. A generated move is a
*code*: the number of its kind (step, axis, length) times 128, plus its rear cell, plus one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
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


# -- moves ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class LineMove:
    """A move of a line of marbles by one step. It need not be legal in any position.

    `str()` is the canonical text. Raises ValueError if `marbles` are not one to three cells of a
    line, or if `step` is no direction.
    """

    marbles: int  # a set of cells
    step: int  # one of `board.STEPS`

    def __post_init__(self) -> None:
        if self.marbles not in LINES or self.step not in STEPS:
            text = f"no line of one to three cells and a step: {self.marbles:#x}, {self.step}"
            raise ValueError(text)

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the line, in reading order."""
        return LINES[self.marbles]

    @property
    def in_line(self) -> bool:
        """Whether the line moves along itself. A single marble always does."""
        return len(self.cells) == 1 or self.cells[1] - self.cells[0] == abs(self.step)

    @property
    def rear(self) -> int:
        """The rear cell of the line. For a move sideways it is the first cell in reading order."""
        return self.cells[-1] if self.in_line and self.step < 0 else self.cells[0]

    @property
    def front(self) -> int:
        """The front cell of the line. For a move sideways it is the last cell in reading order."""
        return self.cells[0] if self.in_line and self.step < 0 else self.cells[-1]

    def __repr__(self) -> str:
        return f"LineMove('{self}')"

    def __str__(self) -> str:
        ends = dict.fromkeys((self.rear, self.front))
        return f"{'-'.join(map(format_cell, ends))},{format_cell(self.rear + self.step)}"


KINDS = tuple(
    (step, axis, size)
    for step in STEPS
    for axis in (step, *(axis for axis in AXES if axis != abs(step)))
    for size in (1, 2, 3)
    if size > 1 or axis == step
)
"""All kinds of moves in order: step, axis of the line from its rear cell, number of marbles."""

_BASES_REVERSED = tuple(number << 7 for number in reversed(range(len(KINDS))))


CODED = {
    (number << 7) + (line[0] if axis > 0 else line[-1]) + 1: (marbles, step)
    for number, (step, axis, size) in enumerate(KINDS)
    for marbles, line in LINES.items()
    if len(line) == size and (size == 1 or line[1] - line[0] == abs(axis))
}
"""The marbles and the step of each move, by its code."""

MOVE_CODED = {code: LineMove(marbles, step) for code, (marbles, step) in CODED.items()}

_AROUND = (1 << 111) - 1  # all cells, and the places one step off the board
_BIT = tuple((1 << top) >> 1 for top in range(112))  # the highest bit by the length in bits

_SHIFTS = tuple(
    (far, 2 * far, 3 * far, *(times * axis for axis in AXES if axis != far for times in (1, 2)))
    for far in map(abs, STEPS)
)
"""By direction, the shifts of one, two and three steps, and of one and two along each other axis.
The last three directions lead to lower cells."""


def rears(own: int, partner: int, enemies: int, fixed: int) -> list[int]:
    """Return the set of rear cells from which a move is legal, for each kind of move.

    The arguments are sets of marbles, without a common cell. `partner` is 0 if there are no teams.
    `fixed` has the fixed marble in the centre; without one it is 0.
    """
    side = own | partner
    occupied = side | enemies | fixed
    room = _AROUND ^ occupied
    empty = BOARD ^ occupied
    found: list[int] = []
    for once, twice, thrice, one, two_ones, other, two_others in _SHIFTS[:3]:
        open_ahead = empty >> once
        pushable = enemies & room >> once
        clear = empty | pushable
        pairs = own & side >> once
        free = side & open_ahead
        found += (
            own & open_ahead,
            pairs & clear >> twice,
            pairs & side >> twice & (clear | enemies & pushable >> once) >> thrice,
            beside := free & free >> one,
            beside & free >> two_ones,
            beside := free & free >> other,
            beside & free >> two_others,
        )
    for once, twice, thrice, one, two_ones, other, two_others in _SHIFTS[3:]:
        open_ahead = empty << once
        pushable = enemies & room << once
        clear = empty | pushable
        pairs = own & side << once
        free = side & open_ahead
        found += (
            own & open_ahead,
            pairs & clear << twice,
            pairs & side << twice & (clear | enemies & pushable << once) << thrice,
            beside := free & free >> one,
            beside & free >> two_ones,
            beside := free & free >> other,
            beside & free >> two_others,
        )
    if partner:
        # A line sideways must hold an own marble; in line the rear one is the mover's anyway.
        for number, (step, axis, size) in enumerate(KINDS):
            if axis != step:
                found[number] &= own | own >> axis | (own >> 2 * axis if size > 2 else 0)
    return found


def codes(own: int, partner: int, enemies: int, fixed: int) -> list[int]:
    """Return the codes of all legal moves, sorted by kind and then by rear cell."""
    # Backwards, since the highest bit of a number is faster to find than the lowest.
    found: list[int] = []
    append, bit = found.append, _BIT
    sets = rears(own, partner, enemies, fixed)
    sets.reverse()
    for base, cells in zip(_BASES_REVERSED, sets, strict=True):
        while cells:
            top = cells.bit_length()
            append(base + top)
            cells ^= bit[top]
    found.reverse()
    return found


def any_move(own: int, partner: int, enemies: int, fixed: int) -> bool:
    empty = BOARD & ~(own | partner | enemies | fixed)
    next_to_own = own << 1 | own >> 1 | own << 10 | own >> 10 | own << 11 | own >> 11
    # Nearly always a single marble can step somewhere, and there is no need to look for pushes.
    return bool(empty & next_to_own) or any(rears(own, partner, enemies, fixed))


def moved(marbles: int, step: int, occupied: int) -> int:
    """Return the set of marbles that a legal move shifts: the line `marbles`, and pushed ones."""
    moving = marbles
    ahead = (shifted(marbles, step) & ~marbles) & occupied
    while ahead:
        moving |= ahead
        ahead = shifted(ahead, step) & occupied
    return moving
