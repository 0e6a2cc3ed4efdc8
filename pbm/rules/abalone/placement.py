"""The data of a position: marbles, turn, scores and outcome."""

from dataclasses import dataclass
from operator import itemgetter

from pbm.rules.abalone.board import CELLS, CENTRE, MOVE_CODED, ROW_SLICES, ROWS, LineMove, codes
from pbm.rules.contract import Outcome

EJECTIONS_TO_WIN = 6

TEAMS = ((1, 3), (2, 4))  # partners sit opposite and never follow each other

FIXED, EMPTY = "#", "."

_OF_CELLS = itemgetter(*CELLS)
_PILLAR = 7 << 4 * CENTRE
_SIGNS, _FOR_TWO = str.maketrans("07", ".#"), str.maketrans("12", "ox")
_ALONE = tuple(tuple((seat,) for seat in range(1, players + 1)) for players in range(7))
_INDENTS = tuple(" " * abs(row) for row in range(-4, 5))
_ROW_ENDS = (" / 7", " / 8", " / 9", " /", "", "", "", "", "")


@dataclass(frozen=True, slots=True, repr=False)
class Placement:
    """The data of a position. Seats count from 1."""

    marbles: tuple[int, ...]  # a set of cells (`pbm.rules.abalone.board`) for each seat
    turn: int | None  # None once the game is over
    scores: tuple[int, ...]  # ejections by each seat; partners have the same
    out: frozenset[int] = frozenset()  # the seats that have left
    quiet: int = 0  # plies since the last ejection
    outcome: Outcome | None = None
    teams: bool = False  # seats 1 and 3 against 2 and 4
    pillar: bool = False  # a fixed marble in the centre

    def __repr__(self) -> str:
        left = f", out {sorted(self.out)}" if self.out else ""
        stands = f"{self.outcome}" if self.outcome else f"seat {self.turn} to move"
        return f"<{stands}, scores {self.scores}{left}, quiet {self.quiet}\n{self.drawn()}>"

    @property
    def players(self) -> int:
        """The number of seats, including those that have left."""
        return len(self.marbles)

    @property
    def seats(self) -> range:
        return range(1, self.players + 1)

    @property
    def to_move(self) -> tuple[int, ...]:
        return (self.turn,) if self.turn else ()

    @property
    def sides(self) -> tuple[int, ...]:
        return (1, 2, 1, 2) if self.teams else tuple(self.seats)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return TEAMS if self.teams else _ALONE[self.players]

    @property
    def occupied(self) -> int:
        """The cells with a marble, the fixed marble included."""
        return sum(self.marbles, self.fixed)

    @property
    def fixed(self) -> int:
        """The cell of the fixed marble, as a set. Without such a marble, the set is empty."""
        return self.pillar << CENTRE

    def marbles_of(self, seat: int) -> int:
        return self.marbles[seat - 1]

    def count(self, seat: int) -> int:
        return self.marbles_of(seat).bit_count()

    def group_of(self, seat: int | None) -> tuple[int, ...]:
        return next(group for group in self.groups if seat in group)

    def partner(self, seat: int | None) -> int | None:
        return (seat + 1) % 4 + 1 if self.teams and seat is not None else None

    def is_played(self, seat: int) -> bool:
        """Return whether somebody moves for the seat: its own player or its partner."""
        return seat not in self.out or self.partner(seat) not in self.out | {None}

    def seen_by(self, seat: int) -> tuple[int, int, int, int]:
        """Return four sets: a seat's marbles, its partner's, its opponents', the fixed marble."""
        own, partner, fixed = self.marbles_of(seat), self.partner(seat), self.fixed
        friends = self.marbles_of(partner) if partner else 0
        return own, friends, self.occupied ^ (own | friends | fixed), fixed

    def seat_at(self, cell: int) -> int | None:
        return next((seat for seat in self.seats if self.marbles_of(seat) >> cell & 1), None)

    def legal_moves(self) -> tuple[LineMove, ...]:
        """Return the legal moves by kind (`moves.KINDS`) and rear; none if the game is over."""
        found = codes(*self.seen_by(self.turn)) if self.turn else ()
        return tuple(map(MOVE_CODED.__getitem__, found))

    def digits(self) -> str:
        """Return for each cell the digit of a seat, `#` for the fixed marble, or `.` if empty."""
        # Read as hexadecimal, each binary digit of a set has room for the number of a seat.
        by_cell = self.pillar * _PILLAR
        for seat, cells in enumerate(self.marbles, 1):
            by_cell += seat * int(f"{cells:b}", 16)
        return "".join(_OF_CELLS(f"{by_cell:0100x}"[::-1])).translate(_SIGNS)

    def drawn(self) -> str:
        """Return the board as mails show it: eleven lines, with labels of rows and columns."""
        signs = self.digits().translate(_FOR_TWO if self.players == len("ox") else {})
        lines = ["        1 2 3 4 5", "        / / / / / 6"]
        for letter, row, indent, end in zip(ROWS, ROW_SLICES, _INDENTS, _ROW_ENDS, strict=True):
            lines.append(f"{indent}{letter.upper()}- {' '.join(signs[row])}{end}")
        return "\n".join(lines)


def symbol(position: Placement, seat: int) -> str:
    return "ox"[seat - 1] if position.players == 2 else str(seat)
