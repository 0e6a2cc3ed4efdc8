"""A position: where the marbles stand, whose turn it is, and how the game ended if it did."""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Literal

EJECTIONS_TO_WIN = 6


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winning seats, none for a draw, and by what.

    `ejections`: the sixth marble pushed off; `last`: nobody else was left; `none`: a draw.
    """

    winners: tuple[int, ...]
    by: Literal["ejections", "last", "none"]


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that decides how a game can go on. Seats count from 1.

    `marbles` and `scores` have one entry for each seat, seat 1 first; the marbles of a seat are a
    set of cells as `pbm.rules.board` describes it. `turn` is the seat that moves next, None once
    the game is over. `out` holds the seats that have left, `quiet` the number of plies since a
    marble last left the board.
    """

    marbles: tuple[int, ...]
    turn: int | None
    scores: tuple[int, ...]
    out: frozenset[int] = frozenset()
    quiet: int = 0
    outcome: Outcome | None = None

    @property
    def players(self) -> int:
        """How many seats the game has, those included that have left."""
        return len(self.marbles)

    @property
    def seats(self) -> range:
        """The seats in turn order."""
        return range(1, self.players + 1)

    @property
    def occupied(self) -> int:
        """The set of cells with a marble on them."""
        return reduce(or_, self.marbles)

    def marbles_of(self, seat: int) -> int:
        """The set of cells with that seat's marbles."""
        return self.marbles[seat - 1]

    def others(self, seat: int) -> int:
        """The set of cells with anybody else's marbles, those who have left included."""
        return self.occupied & ~self.marbles_of(seat)

    def seat_at(self, cell: int) -> int | None:
        """The seat whose marble stands on a cell (or off the board: None)."""
        return next((seat for seat in self.seats if self.marbles_of(seat) >> cell & 1), None)

    def count(self, seat: int) -> int:
        """How many marbles a seat has on the board."""
        return self.marbles_of(seat).bit_count()


def symbol(game: Position | int, seat: int) -> str:
    """The sign for a seat's marbles in a game, or in any game of that many players.

    >>> symbol(2, 1), symbol(2, 2), symbol(3, 2)
    ('o', 'x', '2')
    """
    players = game if isinstance(game, int) else game.players
    return "ox"[seat - 1] if players == 2 else str(seat)
