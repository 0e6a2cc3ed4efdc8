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
PRIVATE = "-private"  # the option of a challenge or seek


@dataclass(frozen=True)
class Question:
    id: int
    kind: str
    address: str
    player_id: int | None
    params: dict[str, Any]
    asked_at: datetime
    expires_at: datetime
    answer: str | None
    epoch: int  # of the player, when the question was asked
    password: SealedPassword | None = None  # a yes sets this password


class ErrandStatus(StrEnum):
    """The status of commands that wait for a player's yes. It is stored in `errands.status`."""

    WAITING = "waiting"  # from an unproven mail
    HELD = "held"  # from a proven mail
    UNSENT = "unsent"  # no commands, but words to the others, sent by the command `send`
    SUBMITTED = "submitted"  # a move that its player was shown, and those below it
    UNASKED = "unasked"  # names of commands in an unproven mail that got no answer
    ELSEWHERE = "elsewhere"  # from an address that is not known as the player's
    DONE = "done"
    DROPPED = "dropped"


@dataclass(frozen=True)
class PendingCommands:
    """Commands that wait for a player's yes. They are also called an errand."""

    id: int
    player_id: int
    board_id: int | None
    lines: tuple[str, ...]  # a command each, with its board and ply
    comment: tuple[str, ...]
    asked_at: datetime
    password: SealedPassword | None = None  # the new one of `change password`


@dataclass(frozen=True)
class Challenged:
    """A seat of a challenge that waits for answers."""

    seat: int
    player_id: int | None  # None for a guest
    handle: str | None
    address: str | None  # mail address of a guest, who has no account
    asked: bool  # the question to the player or guest was sent
    waits: bool  # the question was sent and is not answered yet


@dataclass(frozen=True)
class PendingChallenge:
    """A challenge that waits until all say yes. Guests without an account are asked first."""

    id: int
    by_id: int  # number of the challenger
    setup: dict[str, Any]
    comment: tuple[str, ...]
    first_unsaid: bool  # the command named only others, so that the challenger got seat 1
    command: str | None  # without names; None if no guest waits
    asked_at: datetime
    expires_at: datetime
    seats: tuple[Challenged, ...]

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of the players in seat order. Guests who have not agreed are left out."""
        return tuple(seat.player_id for seat in self.seats if seat.player_id)

    @property
    def addresses(self) -> tuple[str, ...]:
        return tuple(seat.address for seat in self.seats if seat.address)

    @property
    def asked(self) -> tuple[int, ...]:
        return self._ids(seat for seat in self.seats if seat.asked)

    @property
    def waiting(self) -> tuple[int, ...]:
        return self._ids(seat for seat in self.seats if seat.waits)

    def handle_of(self, player_id: int) -> str:
        return next(seat.handle or "" for seat in self.seats if seat.player_id == player_id)

    def _ids(self, seats: Iterable[Challenged]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(seat.player_id for seat in seats if seat.player_id))


@dataclass(frozen=True)
class Seeker:
    """A player who waits in an open challenge (a seek)."""

    player_id: int
    handle: str
    here: bool  # the player is active and reachable by mail


@dataclass(frozen=True)
class Wish:
    """The game that a player seeks: its name, options, clock and other terms."""

    game: str
    pool: Pool  # of the ratings `least` and `most`
    players: int
    options: Options
    rounds: int | None = None
    rated: bool = True
    clock: Mapping[str, Any] | None = None
    wishes: tuple[str, ...] = ()  # the options as typed by the maker
    usual: bool = False  # default options, and the smallest number of players
    pairs: bool = False  # the maker wants to be paired with anybody who wants a usual game
    least: int | None = None  # lowest and highest rating of players who may join
    most: int | None = None

    @property
    def is_installed(self) -> bool:
        return self.game in games()

    @property
    def private(self) -> bool:
        return PRIVATE in self.wishes

    def takes(self, rating: int) -> bool:
        return (self.least or rating) <= rating <= (self.most or rating)


@dataclass(frozen=True)
class Standing:
    """An open seek (an open challenge), without the other players who wait in it."""

    id: int
    maker_id: int  # number of the player who made it
    wish: Wish


class SeekStatus(StrEnum):
    OPEN = "open"
    BEGUN = "begun"  # as a board
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"


@dataclass(frozen=True)
class Seek:
    """An open challenge. It becomes a board when its last player joins."""

    id: int
    wish: Wish
    status: SeekStatus
    made_at: datetime
    expires_at: datetime
    board_id: int | None
    seekers: tuple[Seeker, ...]  # the maker first

    @property
    def maker(self) -> Seeker:
        return self.seekers[0]

    @property
    def is_open(self) -> bool:
        """Return whether another player can still join the seek."""
        return self.status == SeekStatus.OPEN and self.maker.here and self.wish.is_installed

    @property
    def waiting(self) -> tuple[Seeker, ...]:
        return tuple(seeker for seeker in self.seekers if seeker.here)

    def has(self, player_id: int) -> bool:
        return any(seeker.player_id == player_id for seeker in self.seekers)
