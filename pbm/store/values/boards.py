"""Dataclasses of boards, seats, offers, moves and departures."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from pbm.events.board import OfferKind
from pbm.rules.contract import Game, Options, Position
from pbm.rules.registry import game_named, games
from pbm.rules.sides import mover, partners


class BoardStatus(StrEnum):
    """The status of a board, stored in `boards.status`."""

    PLAYING = "playing"
    FINISHED = "finished"
    CLOSED = "closed"  # without a result
    FORGOTTEN = "forgotten"  # a record whose seats and moves are deleted


@dataclass(frozen=True)
class Seat:
    """A seat of a board and its player.

    `last_ply` is the ply of the seat's last move, 0 if none. `unreachable`: mail to the player
    bounces. `removed`: the player has left this server. `answered`: the player began the board, or
    has moved or written there. `robot` is a robot's name, None for people. On a board imported from
    a record, `handle` is a name in the record, and the player is the importer.

    Three fields are seconds of the player's clock: `used` is the time used so far, `banked` is the
    time left in the bank (None if the bank is full), and `stopped` is for how long the clock stood
    still because mail to the player bounced.
    """

    seat: int
    player_id: int
    handle: str
    last_ply: int
    from_record: bool = False
    unreachable: bool = False
    removed: bool = False
    answered: bool = False
    used: int = 0
    banked: int | None = None
    stopped: int = 0
    robot: str | None = None


@dataclass(frozen=True)
class Offer:
    """An offer by the player `by`: of a draw, a take-back, a pause, or the end of a pause.

    `moved` is the last ply of the player `by` before the offer. `agreed` has the players who have
    agreed. After a draw or take-back is declined (`open` False), `by` must move to offer it again.
    """

    kind: OfferKind
    by: int
    moved: int
    agreed: tuple[int, ...] = ()
    open: bool = True


@dataclass(frozen=True)
class Round:
    """A board's place in a match; `match_id` is the number of the match's first board."""

    match_id: int
    number: int
    rounds: int


@dataclass(frozen=True)
class Stop:
    """A period in which a board's clock stood still; `bounced`: mail to the mover bounced."""

    begin: datetime
    end: datetime
    bounced: bool = False


@dataclass(frozen=True)
class Board:
    """A game on the server with its current position.

    `winners` are the winning seats, empty for a draw, None without a result. The position does not
    show the result if the operator ended the game. `tags` come from an imported record.

    `clock` has the terms of the clock, None for the default. The wait for the player to move began
    at `waits_since`. During this wait, the player got `reminded` reminders and `given` extra
    seconds, and the clock stood still in the periods `stops`. `paused_since` is the beginning of
    the present pause, if any.
    """

    id: int
    game: str
    rules_version: int
    options: Options
    subject: str
    start_state: str
    state: str
    ply: int
    status: BoardStatus
    ended_by: str | None
    winners: tuple[int, ...] | None
    started_at: datetime
    changed_at: datetime
    seats: tuple[Seat, ...]
    offers: tuple[Offer, ...] = ()
    taken_back: int = 0
    round: Round | None = None
    rematch_of: int | None = None
    tags: tuple[tuple[str, str], ...] | None = None
    rated: bool = True
    clock: dict[str, Any] | None = None
    waits_since: datetime | None = None
    reminded: int = 0
    given: int = 0
    stops: tuple[Stop, ...] = ()
    paused_since: datetime | None = None

    @cached_property
    def rules(self) -> Game:
        """The rules of the board's game. Raises StateError if it is not installed."""
        return game_named(self.game)

    @property
    def is_installed(self) -> bool:
        """Return whether the game is installed; otherwise its position cannot be read."""
        return self.game in games()

    @cached_property
    def position(self) -> Position:
        """The current position, parsed once. Raises StateError."""
        return self.rules.load(self.state)

    @cached_property
    def start(self) -> Position:
        """The position before the first move, parsed once. Raises StateError."""
        return self.rules.load(self.start_state)

    @cached_property
    def playing(self) -> bool:
        """Return whether the game goes on."""
        return self.status == BoardStatus.PLAYING

    @cached_property
    def to_move(self) -> Seat | None:
        """The seat whose turn it is, None once the board is over."""
        seat = mover(self.position) if self.playing else None
        return self.seats[seat - 1] if seat else None

    @cached_property
    def from_record(self) -> bool:
        """Return whether this game was imported as a record."""
        return self.seats[0].from_record

    @cached_property
    def still_in(self) -> tuple[int, ...]:
        """The numbers of players who have not left, each once, in the order of their seats."""
        out = self.position.out
        return tuple(dict.fromkeys(seat.player_id for seat in self.seats if seat.seat not in out))

    @property
    def is_left_to_robots(self) -> bool:
        """Return whether a game goes on between robots only."""
        robots = {seat.player_id for seat in self.seats if seat.robot}
        return self.playing and bool(robots) and robots.issuperset(self.still_in)

    def offer(self, kind: str) -> Offer | None:
        """Return the board's offer of this kind, open or declined; None without one."""
        return next((offer for offer in self.offers if offer.kind == kind), None)

    @cached_property
    def open_offers(self) -> dict[Offer, tuple[int, ...]]:
        """The open offers of a game in progress, each with the players who must still answer."""
        found = self.offers if self.playing else ()
        return {offer: self.waiting_for(offer) for offer in found if offer.open}

    def waiting_for(self, offer: Offer) -> tuple[int, ...]:
        """Return the numbers of the players who have not answered an offer yet."""
        done = (offer.by, *offer.agreed)
        return tuple(player_id for player_id in self.still_in if player_id not in done)

    def handle_of(self, player_id: int) -> str:
        """The handle of a player of this board."""
        return next(seat.handle for seat in self.seats if seat.player_id == player_id)

    def has_moved(self, player_id: int) -> bool:
        """Return whether any seat that the player moves for (see `played_by`) has moved."""
        return any(self.seats[seat - 1].last_ply for seat in self.played_by(player_id))

    def played_by(self, player_id: int) -> tuple[int, ...]:
        """Return the seats that a player moves for: own seats, and those of partners who left."""
        own = [seat.seat for seat in self.seats_of(player_id)]
        return (*own, *(gone for seat in own for gone in self.gone_partners(seat)))

    def gone_partners(self, seat: int) -> tuple[int, ...]:
        """Return the other seats of a seat's side whose players have left."""
        position = self.position
        if not position.out:
            return ()
        return tuple(other for other in partners(position, seat) if other in position.out)

    @property
    def awaited_first_move(self) -> str | None:
        """The key (`Timer.about`) of the timers for a first move by the player whose turn it is.

        None if it is nobody's turn, a robot's, or that of a player who has moved before. Each
        take-back changes the key, so that older timers do nothing.
        """
        mover = self.to_move
        if mover is None or mover.robot or self.from_record or self.has_moved(mover.player_id):
            return None
        return f"{self.id}.{mover.player_id}.{self.taken_back}"

    def last_ply_of(self, player_id: int) -> int:
        """Return the last ply that a player's seats have played, 0 before their first ply."""
        return max((seat.last_ply for seat in self.seats_of(player_id)), default=0)

    def seats_of(self, player_id: int) -> tuple[Seat, ...]:
        """Return a player's seats on this board; empty for a player without a seat."""
        return tuple(seat for seat in self.seats if seat.player_id == player_id)


MARK = 16  # length of a position's mark


@dataclass(frozen=True)
class Ply:
    """A played move; `effect` has the move's consequences as plain data for the templates.

    `times` is how often the position after the move has occurred, as counted for draw claims; None
    if the row was stored by a version that did not count.
    """

    ply: int
    seat: int
    text: str
    effect: dict[str, Any]
    played_at: datetime
    times: int | None = None


@dataclass(frozen=True)
class NewPly:
    """A move to be stored; `stood` is a short name (mark) of the position after the move."""

    ply: int
    seat: int
    text: str
    effect: dict[str, Any]
    stood: str | None = None


@dataclass(frozen=True)
class Progress:
    """The columns of a board that a move changes: position, player to move, status and result."""

    state: str
    ply: int
    to_move_id: int | None
    status: BoardStatus = BoardStatus.PLAYING
    ended_by: str | None = None
    winners: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Departure:
    """A player's departure from a seat after a ply; a `spared` departure costs no rating."""

    after_ply: int
    seat: int
    how: str
    left_at: datetime
    spared: bool = False
