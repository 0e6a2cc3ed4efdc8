"""Dataclasses of boards, seats, offers, moves and departures."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from pbm.events.board import OfferKind
from pbm.rules.contract import Game, Options, Position, RulesError
from pbm.rules.registry import game_named, games
from pbm.rules.sides import mover, partners, turn


class BoardStatus(StrEnum):
    PLAYING = "playing"
    FINISHED = "finished"
    CLOSED = "closed"  # without a result
    FORGOTTEN = "forgotten"  # a record whose seats and moves are deleted


@dataclass(frozen=True)
class Seat:
    seat: int
    player_id: int  # on a board imported from a record, the importer
    handle: str  # on a board imported from a record, a name in the record
    last_ply: int  # of this seat, 0 before its first
    from_record: bool = False
    unreachable: bool = False  # mail to the player bounces
    removed: bool = False  # the player has left this server
    answered: bool = False  # the player began the board, or has moved or written there
    used: int = 0  # seconds of the player's clock used so far
    banked: int | None = None  # seconds left in the bank; None if the bank is full
    stopped: int = 0  # seconds for which the clock stood still because mail bounced
    robot: str | None = None  # a robot's name, None for people
    taken_over: bool = False  # another player had it before


@dataclass(frozen=True)
class Offer:
    """An offer of a player to the other players of a board, such as a draw.

    If a draw or a take-back is declined, the player must move before offering it again.
    """

    kind: OfferKind
    by: int  # number of the player who made the offer
    moved: int  # last ply of that player before the offer
    agreed: tuple[int, ...] = ()  # numbers of players
    open: bool = True  # False if declined
    guest: int | None = None  # number of the player who is to take the offerer's seats over


@dataclass(frozen=True)
class Round:
    """A board's place in a match. `match_id` is the number of the match's first board."""

    match_id: int
    number: int
    rounds: int


@dataclass(frozen=True)
class Stop:
    """A period in which a board's clock stood still."""

    begin: datetime
    end: datetime
    bounced: bool = False  # mail to the player to move bounced


@dataclass(frozen=True)
class Board:
    """A game on the server: its seats, its position, and whose turn it is."""

    id: int
    game: str
    rules_version: int
    options: Options
    subject: str
    start_state: str
    state: str  # the position; it does not show that the operator ended the game
    ply: int
    status: BoardStatus
    ended_by: str | None
    winners: tuple[int, ...] | None  # seats; empty for a draw, None without a result
    started_at: datetime
    changed_at: datetime
    seats: tuple[Seat, ...]
    offers: tuple[Offer, ...] = ()
    taken_back: int = 0
    round: Round | None = None
    rematch_of: int | None = None
    tags: tuple[tuple[str, str], ...] | None = None  # of an imported record
    rated: bool = True
    clock: dict[str, Any] | None = None  # its terms, None for the default
    waits_since: datetime | None = None  # start of the wait for the player to move
    reminded: int = 0  # reminders in this wait
    given: int = 0  # extra seconds in this wait
    stops: tuple[Stop, ...] = ()  # in this wait
    paused_since: datetime | None = None  # start of the present pause
    news_waits: bool = False  # some reader is to be told later of events on it
    planned: bool = False  # some player has a plan on it
    private: bool = False  # only its players see it
    watched: bool = False  # somebody who watches it wants to be told at once
    noted: bool = False  # some player keeps a note about it

    @cached_property
    def rules(self) -> Game:
        """The rules of the board's game. Raises StateError if it is not installed."""
        return game_named(self.game)

    @property
    def is_installed(self) -> bool:
        return self.game in games()

    @cached_property
    def is_readable(self) -> bool:
        """Whether the game is installed, and reads what is stored: a damaged board fails alone."""
        try:
            return bool(self.position and self.start)
        except RulesError:
            return False

    @cached_property
    def position(self) -> Position:
        """The current position. Raises StateError."""
        return self.rules.load(self.state)

    @cached_property
    def start(self) -> Position:
        """The position before the first move. Raises StateError."""
        return self.rules.load(self.start_state)

    @cached_property
    def playing(self) -> bool:
        return self.status == BoardStatus.PLAYING

    @cached_property
    def to_move(self) -> Seat | None:
        """The seat whose turn it is; None if the game is over."""
        seat = mover(self.position) if self.playing else None
        return self.seats[seat - 1] if seat else None

    @property
    def latest(self) -> list[int]:
        """Each seat's latest ply; the next one for the seat to move, 0 or less before the first."""
        plies = {seat.seat: seat.last_ply or seat.seat - len(self.seats) for seat in self.seats}
        to_move = turn(self.position) if self.playing else None
        return [*(plies | ({to_move: self.ply + 1} if to_move else {})).values()]

    @cached_property
    def from_record(self) -> bool:
        return self.seats[0].from_record

    @cached_property
    def still_in(self) -> tuple[int, ...]:
        """The numbers of the players who have not left, each once, in the order of their seats."""
        out = self.position.out
        return tuple(dict.fromkeys(seat.player_id for seat in self.seats if seat.seat not in out))

    @property
    def rounds(self) -> int | None:
        """The number of rounds of the board's match."""
        return self.round.rounds if self.round else None

    @property
    def is_left_to_robots(self) -> bool:
        robots = {seat.player_id for seat in self.seats if seat.robot}
        return self.playing and bool(robots) and robots.issuperset(self.still_in)

    def offer(self, kind: str) -> Offer | None:
        """Return the board's offer of this kind, or None. The offer may be open or declined."""
        return next((offer for offer in self.offers if offer.kind == kind), None)

    @cached_property
    def open_offers(self) -> dict[Offer, tuple[int, ...]]:
        """The open offers on a board, each with the players who have not answered it yet."""
        found = self.offers if self.playing else ()
        return {offer: self.waiting_for(offer) for offer in found if offer.open}

    def waiting_for(self, offer: Offer) -> tuple[int, ...]:
        done = (offer.by, *offer.agreed)
        asked = (*self.still_in, *([offer.guest] if offer.guest else []))
        return tuple(player_id for player_id in asked if player_id not in done)

    def handle_of(self, player_id: int) -> str:
        return next(seat.handle for seat in self.seats if seat.player_id == player_id)

    def has_moved(self, player_id: int) -> bool:
        """Return whether any of the seats that the player moves for has moved (see `played_by`)."""
        return any(self.seats[seat - 1].last_ply for seat in self.played_by(player_id))

    def played_by(self, player_id: int) -> tuple[int, ...]:
        """Return the player's own seats, and the seats of partners who left."""
        own = [seat.seat for seat in self.seats_of(player_id)]
        return (*own, *(gone for seat in own for gone in self.gone_partners(seat)))

    def gone_partners(self, seat: int) -> tuple[int, ...]:
        position = self.position
        if not position.out:
            return ()
        return tuple(other for other in partners(position, seat) if other in position.out)

    @property
    def awaited_first_move(self) -> str | None:
        """The key of the timers that wait for a player's first move; it is stored in `Timer.about`.

        It is None if the player to move is a robot or has moved before, or if the game is over.
        """
        mover = self.to_move
        if mover is None or mover.robot or self.from_record or self.has_moved(mover.player_id):
            return None
        return f"{self.id}.{mover.player_id}.{self.taken_back}"

    def is_open_to(self, player_id: int | None) -> bool:
        """Return whether a player, or a stranger, may see the board."""
        return not self.private or any(seat.player_id == player_id for seat in self.seats)

    def seats_of(self, player_id: int) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats if seat.player_id == player_id)


MARK = 16  # length of a position's mark


@dataclass(frozen=True)
class NewPly:
    ply: int
    seat: int
    text: str
    effect: dict[str, Any]  # consequences of the move, as plain data for the templates
    stood: str | None = None  # short text that identifies the position after the move
    planned: bool = False  # played by a plan of its player


@dataclass(frozen=True, kw_only=True)
class Ply(NewPly):
    played_at: datetime
    # Occurrences of the position after the move, for draw claims; None in rows of old versions.
    times: int | None = None


@dataclass(frozen=True)
class Progress:
    """What a move changes of a board: the position, the player to move, status and result."""

    state: str
    ply: int
    to_move_id: int | None
    status: BoardStatus = BoardStatus.PLAYING
    ended_by: str | None = None
    winners: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Departure:
    """The event that a player left a seat, after the ply `after_ply`."""

    after_ply: int
    seat: int
    how: str
    left_at: datetime
    spared: bool = False  # it costs the player no rating


@dataclass(frozen=True)
class Handover:
    """The event that another player took a seat over, after the ply `after_ply`."""

    board_id: int
    seat: int
    after_ply: int
    player_id: int  # who had it before
    behind: bool  # in score, so that it is a loss for that player
    at: datetime
