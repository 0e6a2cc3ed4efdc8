"""Open challenges, and who waits in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pbm.rules.contract import Options
from pbm.rules.registry import games
from pbm.store.values.ratings import Pool


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
