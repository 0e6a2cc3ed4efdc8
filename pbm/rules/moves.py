"""What a move is, and which moves are legal (rules, section 3).

A move takes a line of one to three own marbles one step in one direction. *In line*, along the
line, it goes onto an empty cell or pushes fewer opponents than it has marbles (a *sumito*);
*sideways* it goes onto empty cells only.

`legal_moves` works on whole sets of cells at once: for each direction it finds the rear cells of
all the lines that can go that way, and looks up the moves that start there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pbm.rules.board import (
    AXES,
    BOARD,
    LINES,
    STEPS,
    before,
    format_cell,
)
from pbm.rules.position import Position


@dataclass(frozen=True, slots=True)
class Move:
    """A line of marbles and the step that they take; one effect is one move.

    `marbles` is the set of the cells that they stand on and `step` one of `board.STEPS`. Whether a
    position allows the move is another question. Raises ValueError for anything else than one to
    three cells in a straight line and a step. `str()` gives the canonical text.
    """

    marbles: int
    step: int

    def __post_init__(self) -> None:
        if self.marbles not in LINES or self.step not in STEPS:
            raise ValueError(f"no line of one to three cells and a step: {self!r}")

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the marbles in reading order."""
        return LINES[self.marbles]

    @property
    def in_line(self) -> bool:
        """Whether the line moves along itself, as a single marble always does."""
        return len(self.cells) == 1 or self.cells[1] - self.cells[0] == abs(self.step)

    @property
    def rear(self) -> int:
        """The hindmost cell of a move in line; of one sideways, the first in reading order."""
        return self.cells[-1] if self.in_line and self.step < 0 else self.cells[0]

    @property
    def front(self) -> int:
        """The foremost cell of a move in line; of one sideways, the last in reading order."""
        return self.cells[0] if self.in_line and self.step < 0 else self.cells[-1]

    def __str__(self) -> str:
        target = format_cell(self.rear + self.step)
        if len(self.cells) == 1:
            return f"{format_cell(self.rear)},{target}"
        return f"{format_cell(self.rear)}-{format_cell(self.front)},{target}"


def _moves_by_rear(step: int, axis: int, size: int) -> dict[int, Move]:
    """The moves by `step` of all lines that go on along `axis`, by the set of their first cell."""
    return {
        1 << (line[0] if axis > 0 else line[-1]): Move(marbles, step)
        for marbles, line in LINES.items()
        if len(line) == size and (size == 1 or line[1] - line[0] == abs(axis))
    }


_IN_LINE = {step: [_moves_by_rear(step, step, size) for size in (1, 2, 3)] for step in STEPS}
_SIDEWAYS = {
    step: [
        (axis, _moves_by_rear(step, axis, 2), _moves_by_rear(step, axis, 3))
        for axis in AXES
        if axis != abs(step)
    ]
    for step in STEPS
}


def legal_moves(position: Position) -> tuple[Move, ...]:
    """The moves of the seat whose turn it is; none once the game is over.

    They come direction by direction (clockwise from the right), in line before sideways, fewer
    marbles before more, and then by rear marble in reading order. The order never changes.

    >>> from pbm.rules.layouts import start
    >>> len(legal_moves(start("standard", 2)))
    44
    """
    moves = []
    if position.turn is not None:
        for rears, table in _starts(position, position.turn):
            while rears:
                rear = rears & -rears
                moves.append(table[rear])
                rears ^= rear
    return tuple(moves)


def can_move(position: Position, seat: int) -> bool:
    """Whether a seat would have a legal move if it were its turn."""
    return any(rears for rears, _ in _starts(position, seat))


def _starts(position: Position, seat: int) -> Iterator[tuple[int, dict[int, Move]]]:
    """The rear cells of all lines of a seat that can go, and the moves by their rear cells."""
    own, others = position.marbles_of(seat), position.others(seat)
    for step in STEPS:
        yield from zip(_rears_in_line(own, others, step), _IN_LINE[step], strict=True)
        free = own & before(BOARD & ~(own | others), step)
        for axis, of_two, of_three in _SIDEWAYS[step]:
            pairs = free & before(free, axis)
            yield pairs, of_two
            yield pairs & before(pairs, axis), of_three


def _rears_in_line(own: int, others: int, step: int) -> tuple[int, int, int]:
    """The rear marbles of the lines of one, two and three that can go forward.

    One marble needs an empty cell ahead; two may also meet one opponent, and three may meet two,
    if behind the last of them a cell is empty or the board ends.
    """
    room = ~(own | others)
    empty = BOARD & room
    one_to_push = others & before(room, step)
    two_to_push = others & before(one_to_push, step)
    pairs = own & before(own, step)
    triples = pairs & before(pairs, step)
    return (
        own & before(empty, step),
        pairs & before(empty | one_to_push, 2 * step),
        triples & before(empty | one_to_push | two_to_push, 3 * step),
    )
