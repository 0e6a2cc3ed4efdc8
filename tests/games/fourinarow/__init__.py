"""Four in a row on a board of 7 by 6: a second game, made only for the tests."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pbm.rules.contract import (
    CONTRACT,
    Budget,
    IllegalMoveError,
    Info,
    NotationError,
    Options,
    Outcome,
    Played,
    SearchResult,
    SetupError,
    StateError,
)

from .search import search, standing

COLUMNS, ROWS = "abcdefg", 6
SIGNS = ".xo"
FOLDER = Path(__file__).parent
TEXT = re.compile(r"(?:column )?([a-i])", re.ASCII | re.IGNORECASE)
STATE = re.compile(r"((?:[.xo]{7}/){5}[.xo]{7}) ([12-]) (-|out=[12])", re.ASCII)


@dataclass(frozen=True)
class Column:
    """A move: the column that a piece falls into."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class Position:
    """Rows from the top, whose turn it is, and who has left."""

    rows: tuple[str, ...]
    turn: int
    out: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return "\n".join(self.diagram())

    @property
    def sides(self) -> tuple[int, ...]:
        return (1, 2)

    @property
    def to_move(self) -> tuple[int, ...]:
        return () if self.outcome else (self.turn,)

    @property
    def outcome(self) -> Outcome | None:
        for seat in (1, 2):
            if self.out == {3 - seat}:
                return Outcome((seat, 3 - seat), "last")
            if four_of(self.rows, SIGNS[seat]):
                return Outcome((seat, 3 - seat), "four")
        return None if "." in self.rows[0] else Outcome((1, 1), "full")

    def parse(self, text: str, seat: int) -> Column:  # noqa: ARG002 - seats take turns
        found = TEXT.fullmatch(text.strip())
        if found is None:
            raise NotationError("not-a-column")
        name = found[1].lower()
        if name not in COLUMNS:
            raise NotationError("no-such-column", given=name)
        if self.outcome:
            raise IllegalMoveError("over")
        if not self.is_free(name):
            raise IllegalMoveError("full-column", given=name)
        return Column(name)

    def is_free(self, name: str) -> bool:
        return self.rows[0][COLUMNS.index(name)] == "."

    def play(self, move: Column) -> Played:
        at = COLUMNS.index(str(self.parse(move.name, self.turn)))
        row = max(number for number in range(ROWS) if self.rows[number][at] == ".")
        line = self.rows[row]
        filled = line[:at] + SIGNS[self.turn] + line[at + 1 :]
        rows = (*self.rows[:row], filled, *self.rows[row + 1 :])
        return Played(replace(self, rows=rows, turn=3 - self.turn), move, {"row": ROWS - row})

    def leave(self, seat: int) -> "Position":
        if self.outcome or seat not in (1, 2):
            raise IllegalMoveError("over")
        return replace(self, out=frozenset({seat}))

    def state(self) -> str:
        turn = self.to_move[0] if self.to_move else "-"
        out = f"out={min(self.out)}" if self.out else "-"
        return f"{'/'.join(self.rows)} {turn} {out}"

    def diagram(self) -> tuple[str, ...]:
        labelled = (f"{ROWS - number}  {' '.join(row)}" for number, row in enumerate(self.rows))
        return (f"   {' '.join(COLUMNS)}", *labelled)


def four_of(rows: tuple[str, ...], sign: str) -> bool:
    """Whether four of a sign stand in a row."""
    return any(
        all(
            0 <= row + down * step < ROWS
            and 0 <= column + right * step < len(COLUMNS)
            and rows[row + down * step][column + right * step] == sign
            for step in range(4)
        )
        for row in range(ROWS)
        for column in range(len(COLUMNS))
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


class FourInARow:
    """The game."""

    info = Info(
        name="connect4",
        title="Four in a Row",
        contract=CONTRACT,
        version=1,
        seats=(2,),
        playthrough=(FOLDER / "playthrough.txt").read_text(encoding="ascii"),
        examples={"move": ("move d", "move 12 d")},
        folder=FOLDER,
    )

    def start(self, seats: int, options: Options) -> Position:  # noqa: ARG002 - none
        if seats != 2:
            raise SetupError("wrong-players")
        return Position(("." * len(COLUMNS),) * ROWS, 1)

    def load(self, state: str) -> Position:
        found = STATE.fullmatch(state)
        if found is None:
            raise StateError("bad-state")
        rows, _, out = found.groups()
        played = len(rows) - rows.count(".") - rows.count("/")
        left = frozenset({int(out[-1])}) if out != "-" else frozenset[int]()
        position = Position(tuple(rows.split("/")), played % 2 + 1, left)
        if position.state() != state:
            raise StateError("bad-state")
        return position

    def is_move_text(self, text: str) -> bool:
        return TEXT.fullmatch(text.strip()) is not None

    def mentions_place(self, text: str) -> bool:  # noqa: ARG002 - a letter is no place
        return False

    def check_place(self, text: str) -> None:
        """Nothing looks like a move and is none."""

    def legal_moves(self, position: Position) -> list[Column]:
        free = () if position.outcome else filter(position.is_free, COLUMNS)
        return [Column(name) for name in free]

    def play_legal(self, position: Position, move: Column) -> Played:
        return position.play(move)

    def search(
        self, positions: Sequence[Position], budget: Budget, *, best: int = 1, seed: int = 0
    ) -> SearchResult:
        return search(positions[-1], budget, best, seed)

    def evaluate(self, position: Position) -> tuple[int, ...]:
        value = standing(position, 1)
        return value, -value

    def told(self, start: Position, position: Position) -> tuple[dict[str, Any], ...]:  # noqa: ARG002
        return ({"symbol": "x"}, {"symbol": "o"})


GAME = FourInARow()
