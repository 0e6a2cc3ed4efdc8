"""Moves (rules, section 3).

A move takes a line of one to three own marbles one step in one direction. *In line*, along the
line, it goes onto an empty cell or pushes fewer opponents than it has marbles (a *sumito*);
*sideways* it goes onto empty cells only. In teams a line may hold marbles of the partner.
"""

from dataclasses import dataclass

from pbm.rules.abalone.board import LINES, STEPS, format_cell
from pbm.rules.abalone.movegen import CODED


@dataclass(frozen=True, slots=True, repr=False)
class LineMove:
    """A line of marbles and the step that they take; one effect is one move.

    `marbles` is the set of their cells and `step` one of `board.STEPS`; the move need not be legal.
    Raises ValueError for anything but one to three cells in a straight line and a step. `str()` is
    the canonical text: in line the rear, the front and the next cell of the rear; sideways the two
    ends in reading order and the next cell of the first.
    """

    marbles: int
    step: int

    def __post_init__(self) -> None:
        if self.marbles not in LINES or self.step not in STEPS:
            text = f"no line of one to three cells and a step: {self.marbles:#x}, {self.step}"
            raise ValueError(text)

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

    def __repr__(self) -> str:
        return f"LineMove('{self}')"

    def __str__(self) -> str:
        target = format_cell(self.rear + self.step)
        if len(self.cells) == 1:
            return f"{format_cell(self.rear)},{target}"
        return f"{format_cell(self.rear)}-{format_cell(self.front)},{target}"


_MOVES = {code: LineMove(marbles, step) for code, (marbles, step) in CODED.items()}


def move_coded(code: int) -> LineMove:
    """The move of a code of `movegen`; raises KeyError for an unknown one."""
    return _MOVES[code]
