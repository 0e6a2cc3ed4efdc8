"""Players with their settings, ratings and words."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from pbm.passwords import PasswordHash

FIRST_EPOCH = 1


@dataclass(frozen=True)
class Settings:
    """A player's settings.

    `picture`: the board as a picture, too. `subject`: `plain`, or `classic`, which names whose
    turn it is. `mails`: `all`, or `turn`, only when there is something to do or to read.
    `timezone` is a name of the IANA database. `strict`: a yes stands for no other mail,
    and with `strict_by_provider` a mail counts only where the sender's domain vouches for it, too.
    `weekend`: clocks run on Saturdays and Sundays as well. `languages` are codes of ISO 639-1 with
    commas between them, which others may see. `challenges`: `on`, `ask` or `off`, what
    another's challenge does. `limit`: with so many games going that others began, no further
    challenge is taken; 0 for none. `digest`: `off`, or how often
    what others bring about comes as one mail, `hourly` or `daily`, at the hour `digest_at`.
    `receipts`: a move of one's own is confirmed by a mail. `reminders`: `all` that a board has,
    the `last` alone, or those after so many days as `7d`; the last comes in any case.
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

    @property
    def wants_digests(self) -> bool:
        """Whether news of others' acts wait for a digest."""
        return self.digest != "off"


@dataclass(frozen=True)
class Player:
    """A registered player; `addresses` are verified, the first one gets the mail.

    `unreachable_since` is when we learned that mail to it comes back, None while it arrives.
    `robot` is the name of one that plays by itself and gets no mail, None for people. The player
    was reminded at `absent_since`, and has not written since; at `lapsed_at` a board last ran out
    at the cost of rating while it was so, and `spared_at` is when the last absence began in which
    another cost none. `rating_news` are ratings of before all were counted anew, each by game, pool
    and number.
    """

    id: int
    handle: str
    status: str
    epoch: int
    joined_at: datetime
    addresses: tuple[str, ...]
    settings: Settings = Settings()
    password_hash: PasswordHash | None = None
    bounces: int = 0
    bounced_at: datetime | None = None
    unreachable_since: datetime | None = None
    robot: str | None = None
    absent_since: datetime | None = None
    lapsed_at: datetime | None = None
    spared_at: datetime | None = None
    rating_news: list[list[Any]] | None = None

    @property
    def address(self) -> str:
        """The address that this player's mail is sent to."""
        return self.addresses[0]


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
class Result:
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
    """A player's words to the others of a board."""

    handle: str
    said_at: datetime
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """A player's report to the operator about a board, with the words of others there."""

    id: int
    handle: str
    board_id: int
    reported_at: datetime
    lines: tuple[str, ...]
    words: tuple[dict[str, Any], ...]
