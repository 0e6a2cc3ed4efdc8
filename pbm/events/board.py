"""Facts: events that are told in words above the picture of a board in a mail.

Each fact has a template: `PlayerReachable` has `templates/facts/player-reachable.txt`. In the
template, `item` has the fields of the fact, and `v` is the board as the reader sees it.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pbm.events import BoardEvent, PlayerId, event_name
from pbm.plain import to_plain


class BoardFact(BoardEvent):
    """An event on a board that is told in words above the picture of the board in a mail."""

    def lead(self, handle_of: Callable[[int], str]) -> dict[str, Any]:
        """Return the fact as plain data for its template, with handles in place of players."""
        plain = {"what": event_name(type(self)), **_with_handles(type(self), self, handle_of)}
        del plain["board_id"]
        return plain


def _with_handles(kind: Any, value: Any, handle_of: Callable[[int], str]) -> Any:
    """Return a value of the type `kind` as plain data; in it `player` becomes `handle`."""
    if kind == PlayerId:
        return handle_of(value)
    if get_origin(kind) is tuple:
        return [_with_handles(get_args(kind)[0], item, handle_of) for item in value]
    if not is_dataclass(value) or isinstance(value, type):
        return to_plain(value)
    return {
        "handle" if name == "player" else name: _with_handles(hint, getattr(value, name), handle_of)
        for name, hint in _fields(type(value)).items()
    }


@cache
def _fields(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {each.name: hints[each.name] for each in fields(kind)}


class BoardNews(BoardFact):
    """A fact, such as an offer, that counts as one of a player's comments on the board."""

    acts_on_board = counts_as_words = True


class _PlayerFact(BoardFact):
    player: PlayerId


class _PlayerNews(BoardNews):
    player: PlayerId


class BoardStarted(BoardFact):
    player: PlayerId  # who started it
    first_unsaid: bool = False  # `player` got the first seat without asking for it
    seek: int | None = None  # the seek that became the board
    paired: bool = False  # the players had asked to be paired
    teaches: bool = False  # unrated, as `player` has few games, and plays with the weakest robot

    begins_board = passes_turn = for_watchers = True


class BoardDeclined(_PlayerFact):
    """A player declined to play, so the board is closed."""

    successor: int | None = None  # the board on which the remaining players may go on

    acts_on_board = happens_once = for_watchers = True


class _Due(BoardFact):
    """The reader's turn began at `since`; the reader must move by the deadline `by`."""

    is_kept = False

    since: str
    by: str
    write_to: str = ""  # the server's address, if half the time has passed


class MoveDue(_Due):
    """The reader has moved on the board before."""


class AccountNews(_PlayerFact):
    """A player began or ended a vacation, or can or cannot be reached by mail."""

    only_if_wanted = speaks = True


class PlayerAway(AccountNews):
    first: str
    last: str


class PlayerBack(AccountNews):
    """The player has ended a vacation."""


class VacationTaken(_PlayerFact):
    """A player ran out of time, but was given a vacation instead of losing the game by it."""

    last: str  # the last day of the vacation
    days: int


class FirstMoveDue(_Due):
    """The reader has not moved on the board yet."""


class FirstMoveMissed(_PlayerFact):
    """A player missed the first move, so the board is closed as if that player had declined."""

    successor: int | None = None

    for_watchers = True


class PlayerUnreachable(AccountNews):
    """Mail to the player bounces."""


class PlayerReachable(AccountNews):
    """Mail to the player bounced; now the player has written, and gets mail again."""


class MailCameBack(BoardFact):
    """An earlier mail about the board to this reader bounced."""

    is_kept = False


class AddressChanged(BoardFact):
    """The reader now plays from another address."""

    address: str

    is_kept = False


# -- what players agree on -------------------------------------------------------------------------


OfferKind = Literal["draw", "takeback", "pause", "resume", "substitute"]


class OfferMade(_PlayerNews):
    kind: OfferKind


class _OfferAnswered(_PlayerNews):
    by: PlayerId  # who made the offer
    kind: OfferKind


class OfferSeconded(_OfferAnswered):
    """A player agrees to an offer; other players have not answered yet."""


class OfferRefused(_OfferAnswered):
    """A player says no to an offer."""


class OfferWithdrawn(_OfferAnswered):
    """The player who made the offer withdrew it."""


class OfferLapsed(_OfferAnswered):
    """A player moved instead of answering an offer. The offer has ended by that."""


class OfferVoid(BoardNews):
    """An offer of the player `by` is off: a move was taken back, or a seat changed hands."""

    by: PlayerId
    kind: OfferKind


class SubstituteAsked(_PlayerNews):
    """A player asks that the player `guest` plays on; the guest is asked by a mail, too."""

    guest: PlayerId

    for_sender = True  # also told to others in mails without a board


class SubstituteOff(_PlayerFact):
    """The player `guest`, who was to play on for a player, cannot, or has not answered."""

    guest: PlayerId
    is_silent: bool = False


class SeatTakenOver(_PlayerFact):
    """All have agreed: from now on the player `by` plays for the player `player`."""

    by: PlayerId

    acts_on_board = passes_turn = happens_once = for_watchers = True
    for_sender = True  # also told to others in mails without a board


class DrawAgreed(_PlayerNews):
    """All have agreed to the draw that a player offered."""

    for_watchers = True


class DrawClaimed(_PlayerNews):
    why: str  # the game's name for the reason

    for_watchers = True


class _TakeBack(_PlayerNews):
    ply: int
    move: str
    later: int  # moves after it, which are taken back as well


class TakebackAsked(_TakeBack):
    """A player asks to take a move back."""


class TakebackDone(_TakeBack):
    """All have agreed, and a move is taken back."""

    passes_turn = for_watchers = True


# -- plans -----------------------------------------------------------------------------------------


class PlanEnded(_PlayerFact):
    """A player's plan has ended, with these `lines` left; nobody else is told.

    `why` is a word of `pbm.play.plans`.
    """

    why: str
    move: str = ""
    lines: tuple[str, ...] = ()
    again: bool = False  # whether `plan again` can take these lines

    counts_postage = False
    for_player_only = True


# -- matches ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatchStanding:
    """A player's result in a match of several games. The `balance` decides between equal wins."""

    player: PlayerId
    wins: int
    balance: int  # sum of the leads over the opponents at the end of each game


@dataclass(frozen=True)
class RecountedRating:
    """A player's rating before and after ratings were computed anew."""

    game: str  # the title; "" if no other game is installed
    pool: str
    before: int
    after: int | None  # None if no game counts now


class RatingsRecounted(BoardFact):
    """The reader's ratings were computed anew, because the rules for ratings have changed."""

    ratings: tuple[RecountedRating, ...]

    is_kept = False


class _MatchNews(BoardNews):
    round: int
    rounds: int
    standings: tuple[MatchStanding, ...]  # best first; empty if no game finished


class RoundOver(_MatchNews):
    """A round is over, and the match continues on the board `next`."""

    next: int


class MatchBrokenOff(_MatchNews):
    """The match ends early; `away` are the players who can no longer play."""

    away: tuple[PlayerId, ...]


class MatchOver(_MatchNews):
    """All rounds are played."""


class RobotBeaten(_PlayerFact):
    """A player has won three of the last four games against a robot; `next` is a stronger robot."""

    robot: PlayerId
    next: PlayerId


# -- clocks ----------------------------------------------------------------------------------------


class Forfeited(_PlayerFact):
    leaves = for_watchers = True


class ForfeitClaimable(_PlayerFact):
    """A player has run out of time, but cannot be warned since mail to the player bounces.

    Now any other player of the board may have this player taken out of the game.
    """


class ForfeitClaimed(BoardNews):
    player: PlayerId  # who ran out of time
    by: PlayerId

    for_watchers = True


class TimeGiven(_PlayerNews):
    others: tuple[PlayerId, ...]
    time: int  # seconds


class PauseBegun(_PlayerNews):
    """All have agreed to the pause that a player asked for; it lasts `days` at most.

    After `by_all` days any player may end it.
    """

    days: int
    by_all: int


class PauseEnded(_PlayerNews):
    """All have agreed to end the pause, as a player asked; or a player has ended it alone."""

    alone: bool = False


class PauseRunOut(BoardFact):
    """A pause has ended because it has lasted `days` days, the longest that it may."""

    days: int
