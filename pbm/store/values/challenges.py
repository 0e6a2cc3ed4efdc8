"""Challenges that wait for answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Challenged:
    """A seat of a challenge, and its player; `waits`: who was asked, and has not answered yet."""

    seat: int
    player_id: int
    handle: str
    asked: bool
    waits: bool


@dataclass(frozen=True)
class PendingChallenge:
    """A challenge that waits until everybody who wants to be asked has said yes.

    `setup` is plain JSON. `first_unsaid`: its player has seat 1 without having asked for it.
    """

    id: int
    by_id: int
    setup: dict[str, Any]
    comment: tuple[str, ...]
    first_unsaid: bool
    asked_at: datetime
    expires_at: datetime
    seats: tuple[Challenged, ...]

    @property
    def asked(self) -> tuple[int, ...]:
        """The players who were asked, whatever they have answered."""
        return tuple(dict.fromkeys(seat.player_id for seat in self.seats if seat.asked))

    @property
    def waiting(self) -> tuple[int, ...]:
        """The players who have still to answer."""
        return tuple(dict.fromkeys(seat.player_id for seat in self.seats if seat.waits))

    def handle_of(self, player_id: int) -> str:
        """The handle of a player who sits here."""
        return next(seat.handle for seat in self.seats if seat.player_id == player_id)
