"""Questions, pending challenges and seeks: what waits for somebody's answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbm.passwords import SealedPassword
from pbm.rules.contract import Options
from pbm.rules.registry import games
from pbm.store.values.players import Pool

OPEN_FOR = timedelta(hours=48)  # a question to a player
CONSENT_STANDS = timedelta(days=1)


@dataclass(frozen=True)
class Question:
    """A question to one address; `epoch` is that of its player when it was asked.

    `password` is what a yes to it sets.
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


@dataclass(frozen=True)
class PendingCommands:
    """Commands (in full, with board and ply) that wait for a player's `yes`.

    `password` is what a `change password` among them sets.
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


@dataclass(frozen=True)
class Seeker:
    """Somebody who waits in a seek; `here`: can play, and mail arrives."""

    player_id: int
    handle: str
    here: bool


@dataclass(frozen=True)
class Wish:
    """The game that a seek is for, as a challenge has it.

    `wishes` are its options as they are written; without any it is `usual`. Whoever joins has a
    rating from `least` to `most` in `pool`. `pairs`: it begins with the next who wants such a game.
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
        """Whether its game is installed; without it nobody can play it."""
        return self.game in games()

    def takes(self, rating: int) -> bool:
        """Whether somebody with this rating may join."""
        return _is_within(rating, self.least, self.most)


@dataclass(frozen=True)
class Standing:
    """An open seek in short: who made it, and whose ratings it is for."""

    id: int
    maker_id: int
    game: str
    pool: Pool
    least: int | None
    most: int | None

    def takes(self, rating: int) -> bool:
        """Whether somebody with this rating may join."""
        return _is_within(rating, self.least, self.most)


@dataclass(frozen=True)
class Seek:
    """An open challenge: it waits for players, and becomes a board with the last of them.

    `status` is `open`, `begun` (as `board_id`), `withdrawn` or `lapsed`. The first of the `seekers`
    made it.
    """

    id: int
    wish: Wish
    status: str
    made_at: datetime
    expires_at: datetime
    board_id: int | None
    seekers: tuple[Seeker, ...]

    @property
    def maker(self) -> Seeker:
        """Who made it."""
        return self.seekers[0]

    @property
    def is_open(self) -> bool:
        """Whether somebody can join: not where whoever made it cannot play, or gets no mail."""
        return self.status == "open" and self.maker.here and self.wish.is_installed

    @property
    def waiting(self) -> tuple[Seeker, ...]:
        """Those whose seats are kept; who cannot play any more has none."""
        return tuple(seeker for seeker in self.seekers if seeker.here)

    def has(self, player_id: int) -> bool:
        """Whether a player waits in it."""
        return any(seeker.player_id == player_id for seeker in self.seekers)


def _is_within(rating: int, least: int | None, most: int | None) -> bool:
    return (least or rating) <= rating <= (most or rating)
