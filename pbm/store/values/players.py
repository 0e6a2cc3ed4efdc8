"""Dataclasses of players and their settings, vacations, ratings, comments and reports."""

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from pbm.passwords import PasswordHash

FIRST_EPOCH = 1


@dataclass(frozen=True)
class PlayerSettings:
    """A player's settings. The player cannot change the last four, from `signature` on."""

    picture: bool = True  # of the board, in mails
    subject: str = "plain"  # or classic, which names the player to move
    mails: str = "all"  # or turn: only if there is something to do or to read
    timezone: str = "UTC"  # a name of the IANA database
    strict: bool = False  # a yes counts for no other mail
    strict_by_provider: bool = True  # if strict, the sender's domain must authenticate each mail
    weekend: bool = True  # clocks run on Saturdays and Sundays
    languages: str = ""  # codes of ISO 639-1, separated by commas, visible to others
    challenges: str = "on"  # of others; or ask, off
    limit: int = 0  # most games in progress that others began, 0 for no limit
    digest: str = "off"  # or one mail with all news, hourly or daily
    digest_at: int = 7  # hour of a daily digest
    receipts: bool = True  # own moves are confirmed by mail
    confirm: bool = False  # a move is played once its player has seen the board after it
    reminders: str = "all"  # or last, or those after a wait such as 7d
    public: bool = True  # others may follow the player
    talk: str = "private"  # or public: watchers may read it, if all on the board agree
    broadcasts: bool = True  # of the operator to all players
    signature: str = ""  # digests of signatures that are left out, as the player was told
    endings: str = ""  # digests of lines that ended the last mail, and may be a signature
    fewer_offered: bool = False  # the player was told how to get fewer mails
    names_explained: bool = False  # the player was told that one move has several names

    @cached_property
    def wants_digests(self) -> bool:
        return self.digest != "off"


class PlayerStatus(StrEnum):
    ACTIVE = "active"
    SUSPENDED = "suspended"  # by the operator
    REMOVED = "removed"  # has left the server for good


@dataclass(frozen=True)
class Player:
    id: int
    handle: str
    status: PlayerStatus
    epoch: int
    joined_at: datetime
    addresses: tuple[str, ...]  # verified; the first one gets the mail
    settings: PlayerSettings = PlayerSettings()
    password_hash: PasswordHash | None = None
    bounces: int = 0  # consecutive soft ones
    bounced_at: datetime | None = None
    unreachable_since: datetime | None = None  # None while mail arrives
    robot: str | None = None  # a robot's name, which gets no mail
    absent_since: datetime | None = None  # time of a reminder without a mail since
    lapsed_at: datetime | None = None  # last forfeit of that absence that cost rating
    spared_at: datetime | None = None  # start of the last absence in which a forfeit cost none
    rating_news: list[list[Any]] | None = None  # before a recount: game, pool and number of each

    @cached_property
    def address(self) -> str:
        return self.addresses[0]

    @cached_property
    def is_active(self) -> bool:
        return self.status == PlayerStatus.ACTIVE


@dataclass(frozen=True)
class Vacation:
    """Days on which a player's clocks stand still, from `first_day` to the end of `last_day`."""

    id: int
    first_day: date
    last_day: date
    board_id: int | None  # whose clock stands still; None for all of the player's boards
    zone: str | None = None  # time zone of the days; None for the player's current one


class Pool(StrEnum):
    """A rating pool: the games of two players, of more players, or of teams.

    In each pool a player has a separate rating for each game.
    """

    TWO = "two"
    MANY = "many"
    TEAMS = "teams"


@dataclass(frozen=True)
class Rating:
    """The estimated strength of a player in one game: its mean and standard deviation."""

    mu: float
    sigma: float
    games: int  # rated ones
    at: datetime | None  # time of the last one
    people_games: int = 0  # rated games with a human opponent
    rival_id: int | None = None  # the human opponent in these, if it was always the same person
    # Latest human opponents, the last met at the end, each with the weight of the games.
    met: tuple[tuple[int, float], ...] = ()
    wide: bool = field(default=True, compare=False)  # whether enough opponents have met others


@dataclass(frozen=True)
class RatingResult:
    player_id: int
    place: int
    mu_before: float
    sigma_before: float
    mu: float  # as in `Rating`, after the change
    sigma: float  # after the change
    games: int  # after the change
    people_games: int  # after the change
    rival_id: int | None
    met: tuple[tuple[int, float], ...] | None  # after the change; None for nobody in old rows
    weight: float  # how much the game counts, from 0 (the rating stays) to 1


@dataclass(frozen=True)
class CountedBoard:
    """A board that counts for ratings. `number` is its place in the order in which boards count."""

    number: int
    board_id: int
    game: str
    pool: Pool
    at: datetime


@dataclass(frozen=True)
class Said:
    handle: str
    said_at: datetime
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    id: int
    handle: str
    board_id: int
    reported_at: datetime
    lines: tuple[str, ...]
    words: tuple[dict[str, Any], ...]
