"""A position: where the marbles stand, whose turn it is, and how the game ended if it did."""

from dataclasses import dataclass
from typing import Literal

from pbm.rules.abalone.board import CELLS, CENTRE, members
from pbm.rules.abalone.rows import labelled

EJECTIONS_TO_WIN = 6

TEAMS = ((1, 3), (2, 4))
"""The two teams of four players: partners sit opposite and never follow each other."""

FIXED = "#"
"""The sign for the fixed marble."""

EMPTY = "."
"""The sign for a cell on which nothing stands."""

_INDEX = {cell: index for index, cell in enumerate(CELLS)}

_ALONE = tuple(tuple((seat,) for seat in range(1, players + 1)) for players in range(7))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winning seats, none for a draw, and by what.

    `ejections`: the sixth marble pushed off; `last`: nobody else was left; `none`: a draw.
    """

    winners: tuple[int, ...]
    by: Literal["ejections", "last", "none"]


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """Everything that decides how a game can go on. Seats count from 1.

    `marbles` and `scores` have one entry for each seat, seat 1 first; the marbles of a seat are a
    set of cells as `pbm.rules.abalone.board` describes it. `turn` is the seat that moves next,
    None once the game is over. `out` holds the seats that have left, `quiet` the number of
    plies since a marble last left the board. In `teams` seats 1 and 3 play seats 2 and 4, and
    the score of a team stands at both of its seats. A `pillar` is a fixed marble in the centre.
    """

    marbles: tuple[int, ...]
    turn: int | None
    scores: tuple[int, ...]
    out: frozenset[int] = frozenset()
    quiet: int = 0
    outcome: Outcome | None = None
    teams: bool = False
    pillar: bool = False

    def __repr__(self) -> str:
        left = f", out {sorted(self.out)}" if self.out else ""
        stands = f"{self.outcome}" if self.outcome else f"seat {self.turn} to move"
        return f"<{stands}, scores {self.scores}{left}, quiet {self.quiet}\n{self.drawn()}>"

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
        """The set of cells with a marble on them, the fixed one included."""
        occupied = self.fixed
        for marbles in self.marbles:
            occupied |= marbles
        return occupied

    @property
    def fixed(self) -> int:
        """The set of cells with a fixed marble: the centre, or none."""
        return self.pillar << CENTRE

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats that play together: two teams of two, or everybody alone."""
        return TEAMS if self.teams else _ALONE[self.players]

    @property
    def mover(self) -> int | None:
        """The seat whose player moves next, None once the game is over.

        This is the seat whose turn it is, or its partner's if its own player has left the game.
        """
        return self.partner(self.turn) if self.turn in self.out else self.turn

    def marbles_of(self, seat: int) -> int:
        """The set of cells with that seat's marbles."""
        return self.marbles[seat - 1]

    def partner(self, seat: int | None) -> int | None:
        """The other seat of the same team; None where everybody plays alone."""
        return (seat + 1) % 4 + 1 if self.teams and seat is not None else None

    def partner_marbles(self, seat: int) -> int:
        """The set of cells with the marbles of a seat's partner."""
        partner = self.partner(seat)
        return self.marbles[partner - 1] if partner else 0

    def is_played(self, seat: int) -> bool:
        """Whether somebody moves for a seat: its player, or the partner of one who has left."""
        return seat not in self.out or self.partner(seat) not in self.out | {None}

    def seen_by(self, seat: int) -> tuple[int, int, int, int]:
        """Four sets of cells: a seat's own, a partner's, all opponents' and fixed marbles.

        Those who have left the game are opponents, or partners, as before.
        """
        own, partner, fixed = self.marbles_of(seat), self.partner_marbles(seat), self.fixed
        return own, partner, self.occupied ^ (own | partner | fixed), fixed

    def seat_at(self, cell: int) -> int | None:
        """The seat whose marble stands on a cell; None for a fixed one, or off the board."""
        return next((seat for seat in self.seats if self.marbles_of(seat) >> cell & 1), None)

    def signs(self, by_seat: str) -> list[str]:
        """What stands on each cell, in reading order; `by_seat` has the sign of each seat."""
        found = [EMPTY] * len(CELLS)
        for marbles, sign in zip((*self.marbles, self.fixed), (*by_seat, FIXED), strict=True):
            for cell in members(marbles):
                found[_INDEX[cell]] = sign
        return found

    def drawn(self) -> str:
        """The labelled board as text, eleven lines without a newline at the end."""
        return labelled(self.signs(symbols(self)))

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


def symbols(position: Position) -> str:
    """The signs for the marbles of all seats, seat 1 first.

    >>> from pbm.rules.abalone.layouts import start
    >>> symbols(start("standard", 2)), symbols(start("standard", 3))
    ('ox', '123')
    """
    return "".join(symbol(position, seat) for seat in position.seats)
