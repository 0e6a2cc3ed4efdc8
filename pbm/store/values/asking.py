"""Dataclasses of questions, commands that wait for a yes, pending challenges and seeks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from pbm.passwords import SealedPassword
from pbm.rules.contract import Options
from pbm.rules.registry import games
from pbm.store.values.players import Pool

OPEN_FOR = timedelta(hours=48)  # expiry of a question to a player
CONSENT_STANDS = timedelta(days=1)


@dataclass(frozen=True)
class Question:
    """A question to one address, to be answered with yes or no.

    A yes sets the player's password to `password`, unless this is None. `epoch` is the player's
    epoch (a number that the command `newkey` raises) when the question was asked.
    """

    id: int
    kind: str
    address: str
    player_id: int | None
    params: dict[str, Any]
    asked_at: datetime
    expires_at: datetime
    answer: str | None
    epoch: int
    password: SealedPassword | None = None


class ErrandStatus(StrEnum):
    """The status of commands that wait for a yes, stored in `errands.status`."""

    WAITING = "waiting"  # from an unproven mail
    HELD = "held"  # from a proven mail
    ELSEWHERE = "elsewhere"  # from an address that is not known as the player's
    DONE = "done"
    DROPPED = "dropped"


@dataclass(frozen=True)
class PendingCommands:
    """Commands that wait for a player's `yes`; each line has a command with its board and ply.

    `password` is the new password if `change password` is among the commands.
    """

    id: int
    player_id: int
    board_id: int | None
    lines: tuple[str, ...]
    comment: tuple[str, ...]
    asked_at: datetime
    password: SealedPassword | None = None


@dataclass(frozen=True)
class Challenged:
    """A seat of a pending challenge, for a player, or for a guest with an `address`.

    A guest who says yes becomes a player. `asked`: the question to the player or guest was sent.
    `waits`: the question was sent and is not answered yet.
    """

    seat: int
    player_id: int | None
    handle: str | None
    address: str | None
    asked: bool
    waits: bool


@dataclass(frozen=True)
class PendingChallenge:
    """A challenge by the player `by_id` that waits until all who were asked have said yes.

    `first_unsaid`: the command named several others, not the challenger, who so got seat 1. Guests
    (mail addresses) are asked first. `command`: the command without names; None if no guest waits.
    """

    id: int
    by_id: int
    setup: dict[str, Any]
    comment: tuple[str, ...]
    first_unsaid: bool
    command: str | None
    asked_at: datetime
    expires_at: datetime
    seats: tuple[Challenged, ...]

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of the players in seat order, without guests who have not said yes."""
        return tuple(seat.player_id for seat in self.seats if seat.player_id)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses of guests who have not said yes."""
        return tuple(seat.address for seat in self.seats if seat.address)

    @property
    def asked(self) -> tuple[int, ...]:
        """The numbers of the players who were asked, with or without an answer."""
        return self._ids(seat for seat in self.seats if seat.asked)

    @property
    def waiting(self) -> tuple[int, ...]:
        """The numbers of the players who were asked and have not answered yet."""
        return self._ids(seat for seat in self.seats if seat.waits)

    def handle_of(self, player_id: int) -> str:
        """The handle of a player of this challenge."""
        return next(seat.handle or "" for seat in self.seats if seat.player_id == player_id)

    def _ids(self, seats: Iterable[Challenged]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(seat.player_id for seat in seats if seat.player_id))


@dataclass(frozen=True)
class Seeker:
    """A player who waits in a seek. `here`: the player is active and reachable by mail."""

    player_id: int
    handle: str
    here: bool


@dataclass(frozen=True)
class Wish:
    """The game that a seek is for, with options, clock and other terms.

    `wishes` are the options as the maker typed them. `usual`: the options are the default ones, and
    the number of players is the smallest. Players who join need a rating in `pool` from `least` to
    `most`. `pairs`: the maker wants to be paired with anybody who wants a usual game.
    """

    game: str
    pool: Pool
    players: int
    options: Options
    rounds: int | None = None
    rated: bool = True
    clock: Mapping[str, Any] | None = None
    wishes: tuple[str, ...] = ()
    usual: bool = False
    pairs: bool = False
    least: int | None = None
    most: int | None = None

    @property
    def is_installed(self) -> bool:
        """Return whether the game is installed; otherwise it cannot be played."""
        return self.game in games()

    def takes(self, rating: int) -> bool:
        """Return whether a player with this rating may join."""
        return (self.least or rating) <= rating <= (self.most or rating)


@dataclass(frozen=True)
class Standing:
    """An open seek with the number of its maker, but without the other players who wait in it."""

    id: int
    maker_id: int
    wish: Wish


class SeekStatus(StrEnum):
    """The status of a seek, stored in `seeks.status`."""

    OPEN = "open"
    BEGUN = "begun"  # as a board
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"


@dataclass(frozen=True)
class Seek:
    """An open challenge, which becomes the board `board_id` when the last of its players joins.

    The first of the `seekers` is the seek's maker.
    """

    id: int
    wish: Wish
    status: SeekStatus
    made_at: datetime
    expires_at: datetime
    board_id: int | None
    seekers: tuple[Seeker, ...]

    @property
    def maker(self) -> Seeker:
        """The player who made the seek."""
        return self.seekers[0]

    @property
    def is_open(self) -> bool:
        """Return whether the seek is open, its maker can play, and its game is installed."""
        return self.status == SeekStatus.OPEN and self.maker.here and self.wish.is_installed

    @property
    def waiting(self) -> tuple[Seeker, ...]:
        """The seekers who can play."""
        return tuple(seeker for seeker in self.seekers if seeker.here)

    def has(self, player_id: int) -> bool:
        """Return whether a player waits in the seek."""
        return any(seeker.player_id == player_id for seeker in self.seekers)
