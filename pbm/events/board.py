"""Facts: events that are told above a board, each in the words of the template with its name.

`PlayerReachable` is worded in `templates/facts/player-reachable.txt`, which finds the fields of the
fact under their names in `item`, and what stands on the board in `v`.
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

from pbm.events import BoardEvent
from pbm.plain import to_plain


@dataclass(frozen=True)
class BoardFact(BoardEvent):
    """Something about a board that its players are told in words."""

    def lead(self) -> dict[str, Any]:
        """The fact as plain data, for the lead of a mail about its board."""
        plain = {"what": fact_name(type(self)), **to_plain(self)}
        del plain["board_id"]
        return plain


@dataclass(frozen=True)
class BoardNews(BoardFact):
    """A fact that players can bring about as often as words, so that it counts like them."""

    counts_as_words = True

    @property
    def acted_on(self) -> int:
        return self.board_id


def fact_name(kind: type[BoardFact]) -> str:
    """The name of a fact, and of its template.

    >>> fact_name(DrawAgreed)
    'draw-agreed'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


@dataclass(frozen=True)
class BoardStarted(BoardFact):
    """A new board is on the server; `handle` brought it about.

    `first_unsaid`: that player has the first of several seats without having asked for it.
    `seek` is the number of the seek that it comes of; `paired`: they had asked to be paired.
    """

    handle: str
    first_unsaid: bool = False
    seek: int | None = None
    paired: bool = False

    begins_board = passes_turn = True

    @property
    def is_challenge(self) -> bool:
        return self.seek is None


@dataclass(frozen=True)
class BoardDeclined(BoardFact):
    """A player declined, and the board is closed; the others may play on another, `successor`."""

    handle: str
    successor: int | None = None

    happens_once = True

    @property
    def acted_on(self) -> int:
        return self.board_id


@dataclass(frozen=True)
class MoveDue(BoardFact):
    """The reader's move is waited for: since when, and by when it has to come."""

    since: str
    by: str


@dataclass(frozen=True)
class AccountNews(BoardFact):
    """Something about a player whose move is due, that has lasted for some time."""

    handle: str

    only_if_wanted = True

    @property
    def speaker(self) -> str:
        return self.handle


@dataclass(frozen=True)
class PlayerAway(AccountNews):
    """The player has a vacation, from one day to another."""

    first: str
    last: str


class PlayerBack(AccountNews):
    """The player has ended a vacation."""


@dataclass(frozen=True)
class VacationTaken(BoardFact):
    """A player's time has run out, and so many days of the year's vacation were taken instead."""

    handle: str
    last: str
    days: int


@dataclass(frozen=True)
class FirstMoveDue(BoardFact):
    """The reader's first move is waited for: since when, and by when it has to come."""

    since: str
    by: str


@dataclass(frozen=True)
class FirstMoveMissed(BoardFact):
    """A player made no first move in time, so that the board is closed as if declined."""

    handle: str
    successor: int | None = None


class PlayerUnreachable(AccountNews):
    """Mail to the player comes back."""


class PlayerReachable(AccountNews):
    """The player, to whom mail came back, has written."""


@dataclass(frozen=True)
class MailCameBack(BoardFact):
    """An earlier mail about the board, to the reader of this one, came back."""


@dataclass(frozen=True)
class AddressChanged(BoardFact):
    """The reader of this mail plays from another address by now."""

    address: str


# -- what players agree on -------------------------------------------------------------------------


OfferKind = Literal["draw", "takeback", "pause", "resume"]


@dataclass(frozen=True)
class OfferMade(BoardNews):
    """A player offers a draw, or asks for a pause or for the end of one: its kind."""

    handle: str
    kind: OfferKind


@dataclass(frozen=True)
class _OfferAnswered(BoardNews):
    """`handle` did something about what `by` had asked for, such as a draw: its kind."""

    handle: str
    by: str
    kind: OfferKind


class OfferSeconded(_OfferAnswered):
    """One agrees, and others have still to answer."""


class OfferRefused(_OfferAnswered):
    """One says no."""


class OfferWithdrawn(_OfferAnswered):
    """The player who made the offer has withdrawn it."""


class OfferLapsed(_OfferAnswered):
    """One moved on instead of agreeing."""


@dataclass(frozen=True)
class OfferVoid(BoardNews):
    """The offer of `by` is void, as a move was taken back."""

    by: str
    kind: OfferKind


@dataclass(frozen=True)
class DrawAgreed(BoardNews):
    """All have agreed to the draw that a player offered."""

    handle: str


@dataclass(frozen=True)
class DrawClaimed(BoardNews):
    """A player claimed a draw; `why` is the ground for it, as the game calls it."""

    handle: str
    why: str


@dataclass(frozen=True)
class _TakeBack(BoardNews):
    """News of taking back `handle`'s move at a ply; so many `later` moves go with it."""

    handle: str
    ply: int
    move: str
    later: int


class TakebackAsked(_TakeBack):
    """A player asks to take a move back."""


class TakebackDone(_TakeBack):
    """All have agreed, and a move is taken back."""

    passes_turn = True


# -- matches ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatchStanding:
    """What a player has reached in a match; the balance is what the rules call so, added up."""

    handle: str
    wins: int
    balance: int


@dataclass(frozen=True)
class RecountedRating:
    """A rating of before all games were counted anew, and of now, None where no game counts; `game`
    is its title where there are several games."""

    game: str
    pool: str
    before: int
    after: int | None


@dataclass(frozen=True)
class RatingsRecounted(BoardFact):
    """The rules for ratings have changed, and with them those of the reader."""

    ratings: tuple[RecountedRating, ...]


@dataclass(frozen=True)
class _MatchNews(BoardNews):
    """A round of a match is over; `standings` has the best first, and nobody before any result."""

    round: int
    rounds: int
    standings: tuple[MatchStanding, ...]


@dataclass(frozen=True)
class RoundOver(_MatchNews):
    """The match goes on, on the board `next`."""

    next: int


@dataclass(frozen=True)
class MatchBrokenOff(_MatchNews):
    """The match ends early; `away` are those who cannot play any more."""

    away: tuple[str, ...]


@dataclass(frozen=True)
class MatchOver(_MatchNews):
    """All rounds are played."""

    winners: tuple[str, ...]


# -- clocks ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Forfeited(BoardFact):
    """A player has run out of time; others may play on."""

    handle: str

    @property
    def leaver(self) -> str:
        return self.handle


@dataclass(frozen=True)
class ForfeitClaimable(BoardFact):
    """A player whose mail bounces has run out of time: the others may claim the forfeit."""

    handle: str


@dataclass(frozen=True)
class ForfeitClaimed(BoardNews):
    """A player claimed that another has run out of time."""

    handle: str
    by: str


@dataclass(frozen=True)
class TimeGiven(BoardNews):
    """A player gave others more time, so many seconds."""

    handle: str
    others: tuple[str, ...]
    time: int


@dataclass(frozen=True)
class PauseBegun(BoardNews):
    """All have agreed to the pause that a player asked for; it lasts so many days at most."""

    handle: str
    days: int


@dataclass(frozen=True)
class PauseEnded(BoardNews):
    """All have agreed to end a pause, as a player asked."""

    handle: str


@dataclass(frozen=True)
class PauseRunOut(BoardFact):
    """A pause has lasted as long as it may."""

    days: int
