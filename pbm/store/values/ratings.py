"""How strong players are, and what was counted for that."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Pool(StrEnum):
    """Games whose results count together, of one game."""

    TWO = "two"
    MANY = "many"
    TEAMS = "teams"


@dataclass(frozen=True)
class Rating:
    """How strong a player is, as far as that is known: a mean and its uncertainty.

    `games` were counted, the last one at `at`; in `people_games` of them an opponent was no robot.
    `rival_id` is the only person among these, None for several or nobody.
    """

    mu: float
    sigma: float
    games: int
    at: datetime | None
    people_games: int = 0
    rival_id: int | None = None


@dataclass(frozen=True)
class Result:
    """What a finished board does to the rating of one of its players, who took a place there.

    `weight` is how much of what it says counts, 0 for a rating that stays. The rest is as in
    `Rating`, after it.
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
    """A board that counts for ratings; `number` says as which, in the order of counting."""

    number: int
    board_id: int
    game: str
    pool: Pool
    at: datetime
