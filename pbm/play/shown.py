"""What a mail shows of a board: values that are frozen when the mail is written.

What a game tells of a seat, of a move or as a drawing is plain data for the templates of that game.
"""

from dataclasses import dataclass
from typing import Any

Told = dict[str, Any]


@dataclass(frozen=True)
class RoundPlace:
    """A board's place in a match."""

    number: int
    rounds: int


@dataclass(frozen=True)
class RoundShown:
    """The moves of a round, one a seat, and what came of each; `ply` is that of the first."""

    ply: int
    moves: tuple[str, ...]
    effects: tuple[Told, ...]


@dataclass(frozen=True)
class PlaceShown:
    """A place in a game that is over, counted from 1, and who shares it."""

    place: int
    handles: tuple[str, ...]


@dataclass(frozen=True)
class MoveShown:
    """A move and who made it, `seat_of` the partner for whom it was made."""

    handle: str
    seat_of: str | None
    ply: int
    move: str
    effect: Told


@dataclass(frozen=True)
class DepartureShown:
    """Somebody left the game, and how."""

    handle: str
    how: str


@dataclass(frozen=True)
class RatingShown:
    """A rating as people see it: a number, by how much it may be off, whether that is much."""

    number: int
    off: int
    provisional: bool


@dataclass(frozen=True)
class RatingChange:
    """What a finished board did to a player's rating; `before` is None for a first game.

    `spared`: nothing, since another board had run out in the same absence. `measured`: nothing, as
    it is that of a robot. `counted`: how many hundredths of what the game says counted.
    """

    handle: str
    before: RatingShown | None
    after: RatingShown
    spared: bool = False
    measured: bool = False
    counted: int = 100


@dataclass(frozen=True)
class OfferShown:
    """What is asked for: a draw, or a take-back of a ply and of so many `later` ones.

    `move` is left out where it was long ago; `to_you`: the reader has still to answer.
    """

    what: str
    by: str
    ply: int
    move: str | None
    later: int
    to_you: bool
    waiting: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BoardShown:
    """What stands on a board, as everybody sees it; `sides` are those of teams.

    `picture` is a drawing, None for a reader who wants none. `marked` are the moves that are marked
    in it, in the words of the game, for the text. `taken_back` is how often plies were.
    """

    number: int
    subject: str
    game: str
    ply: int
    diagram: str
    state: str
    players: tuple[Told, ...]
    sides: list[list[int]] | None
    picture: Told | None
    marked: tuple[Told, ...] = ()
    taken_back: int = 0


@dataclass(frozen=True, kw_only=True)
class PastView(BoardShown):
    """A board as it was after `past_ply` plies."""

    past_ply: int


@dataclass(frozen=True, kw_only=True)
class BoardView(BoardShown):
    """A board as one reader sees it: who that is, what happened meanwhile, how to answer.

    `turn` is who is to move, `moves_for` the partner for whom; `gone` says how players left, `away`
    who has left this server.
    What begins with `yours` is the reader's own. `places` are those of a game that is over, where
    three sides or more have played it, and `seconds` is how long it took. `too_short`: it ended so
    soon that it counts for no rating. `claim` is by what the reader may claim a draw now. `robots`
    are those of its players that are; `against_robots`: the reader plays, and all opponents are.
    """

    options: Told
    round: RoundPlace | None
    rematch_of: int | None
    away: tuple[str, ...]
    from_record: bool
    status: str
    ended_by: str | None
    turn: str | None
    moves_for: str | None
    turn_unreachable: bool
    gone: dict[str, str]
    winners: tuple[str, ...]
    rated: bool
    ratings: tuple[RatingChange, ...]
    rounds: tuple[RoundShown, ...]
    places: tuple[PlaceShown, ...]
    seconds: int | None
    yours: bool = False
    you: tuple[Told, ...] = ()
    partners: tuple[Told, ...] = ()
    offers: tuple[OfferShown, ...] = ()
    happened: tuple[MoveShown | DepartureShown, ...] = ()
    example: str | None = None
    may_decline: bool = False
    claim: str | None = None
    robots: tuple[str, ...] = ()
    against_robots: bool = False
    too_short: bool = False
