"""What a record is made of: its steps, and how a game ends that the rules alone do not end."""

from dataclasses import dataclass
from typing import Literal, get_args

from pbm.rules.abalone.errors import RecordError

How = Literal["resigned", "removed", "forfeited"]
HOWS: tuple[How, ...] = get_args(How)

EndingHow = Literal["agreed", "claimed", "closed", "operator", "record"]
ENDING_HOWS: tuple[EndingHow, ...] = get_args(EndingHow)

_WITHOUT_WINNERS = ("agreed", "claimed", "closed")


@dataclass(frozen=True, slots=True)
class Leaving:
    """A seat's leaving, between two plies; `str()` gives it as a record writes it.

    >>> str(Leaving(3, "forfeited"))
    'seat 3 forfeited'
    """

    seat: int
    how: How = "resigned"

    def __str__(self) -> str:
        return f"seat {self.seat} {self.how}"


Step = str | Leaving
"""A move as text, or a seat's leaving."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended that by its moves alone would go on.

    `agreed` and `claimed` are draws, `closed` is an end without a result. `operator` is a result
    that was decided by word, `record` one that a record from elsewhere has without saying why:
    these two have `winners`, none of them for a draw.
    """

    how: EndingHow
    winners: tuple[int, ...] = ()

    @property
    def result(self) -> tuple[int, ...] | None:
        """The winning seats, none of them for a draw; None if there is no result."""
        return None if self.how == "closed" else self.winners

    def check(self, seats: range) -> None:
        """Raise RecordError if no game of these seats can end so."""
        if self.how not in ENDING_HOWS:
            known = ", ".join(ENDING_HOWS)
            raise RecordError("bad-ending", f"A game ends by one of these words: {known}.")
        if self.winners and self.how in _WITHOUT_WINNERS:
            raise RecordError("bad-ending", f"A game that was {self.how} has no winners.")
        if self.winners != tuple(seat for seat in seats if seat in self.winners):
            text = f"The winners are seats from 1 to {len(seats)}, each once and in order."
            raise RecordError("bad-ending", text)
