"""Players with their settings, ratings and comments."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from pbm.passwords import PasswordHash

FIRST_EPOCH = 1


@dataclass(frozen=True)
class PlayerSettings:
    """A player's settings.

    `picture`: the board also comes as a picture. `subject`: `plain`, or `classic`, which names the
    player to move. `mails`: `all`, or `turn`, only if there is something to do or to read.
    `timezone` is a name of the IANA database. `strict`: a yes counts for no other mail; with
    `strict_by_provider` the sender's domain must also authenticate each mail. `weekend`: clocks
    also run on Saturdays and Sundays. `languages` are comma-separated codes of ISO 639-1, visible
    to others. `challenges` is the treatment of others' challenges: `on`, `ask` or `off`. `limit`
    is the most games in progress that others began, 0 for no limit. `digest`: `off`, or one mail
    with all news, `hourly`, or `daily` at the hour `digest_at`. `receipts`: own moves are confirmed
    by mail. `reminders`: `all` of a board, only the `last`, or only those after a wait such as
    `7d`; the last one is always sent. `signature` is the digest of the signature that the player
    was last told is left out. `fewer_offered`: the player was told how to get fewer mails.
    """

    picture: bool = True
    subject: str = "plain"
    mails: str = "all"
    timezone: str = "UTC"
    strict: bool = False
    strict_by_provider: bool = True
    weekend: bool = True
    languages: str = ""
    challenges: str = "on"
    limit: int = 0
    digest: str = "off"
    digest_at: int = 7
    receipts: bool = True
    reminders: str = "all"
    signature: str = ""
    fewer_offered: bool = False

    @cached_property
    def wants_digests(self) -> bool:
        """Whether news of others' acts wait for a digest."""
        return self.digest != "off"


class PlayerStatus(StrEnum):
    """The status of a player, stored in `players.status`."""

    ACTIVE = "active"
    SUSPENDED = "suspended"  # by the operator
    REMOVED = "removed"  # has left the server for good


@dataclass(frozen=True)
class Player:
    """A registered player; `addresses` are verified, the first one gets the mail.

    `unreachable_since` is when mail to it was found to bounce, None while it arrives. `robot` is
    the name of a robot, which gets no mail, None for people. The player was reminded at
    `absent_since`, and has not written since. `lapsed_at` is when a board last ran out at the cost
    of rating in that absence. `spared_at` is the start of the last absence in which another board
    cost none. `rating_news` are the ratings before a recount, each by game, pool and number.
    """

    id: int
    handle: str
    status: PlayerStatus
    epoch: int
    joined_at: datetime
    addresses: tuple[str, ...]
    settings: PlayerSettings = PlayerSettings()
    password_hash: PasswordHash | None = None
    bounces: int = 0
    bounced_at: datetime | None = None
    unreachable_since: datetime | None = None
    robot: str | None = None
    absent_since: datetime | None = None
    lapsed_at: datetime | None = None
    spared_at: datetime | None = None
    rating_news: list[list[Any]] | None = None

    @cached_property
    def address(self) -> str:
        """The address that this player's mail is sent to."""
        return self.addresses[0]

    @cached_property
    def is_active(self) -> bool:
        """Whether the player can play."""
        return self.status == PlayerStatus.ACTIVE


@dataclass(frozen=True)
class Vacation:
    """Days on which a player's clocks stand still, the last one included; on one or all boards.

    `zone` is the time zone of these days, None for the player's current one.
    """

    id: int
    first_day: date
    last_day: date
    board_id: int | None
    zone: str | None = None


class Pool(StrEnum):
    """A rating pool: games of one game whose results count together."""

    TWO = "two"
    MANY = "many"
    TEAMS = "teams"


@dataclass(frozen=True)
class Rating:
    """The known strength of a player: a mean and its uncertainty.

    `games` were counted, the last one at `at`; `people_games` of them had an opponent who is no
    robot. `rival_id` is the only person among these opponents, None for several or none.
    """

    mu: float
    sigma: float
    games: int
    at: datetime | None
    people_games: int = 0
    rival_id: int | None = None


@dataclass(frozen=True)
class RatingResult:
    """The rating change of one player of a finished board, with the player's place there.

    `weight` is the share of the change that counts, from 0 (the rating stays) to 1. `mu_before` and
    `sigma_before` are the rating before the board; the other fields of `Rating` are as after it.
    """

    player_id: int
    place: int
    mu_before: float
    sigma_before: float
    mu: float
    sigma: float
    games: int
    people_games: int
    rival_id: int | None
    weight: float


@dataclass(frozen=True)
class CountedBoard:
    """A rated board; `number` is its place in the order of counting."""

    number: int
    board_id: int
    game: str
    pool: Pool
    at: datetime


@dataclass(frozen=True)
class Said:
    """A player's comment to the others of a board."""

    handle: str
    said_at: datetime
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """A player's report to the operator about a board, with the others' comments."""

    id: int
    handle: str
    board_id: int
    reported_at: datetime
    lines: tuple[str, ...]
    words: tuple[dict[str, Any], ...]
