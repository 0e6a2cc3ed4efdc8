"""What the store gives back: frozen values of the domain, never rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from pbm.passwords import PasswordHash, SealedPassword
from pbm.rules.contract import Game, Options, Position
from pbm.rules.registry import game_named, games
from pbm.rules.sides import mover, partners
from pbm.store.kinds import Kind

FIRST_EPOCH = 1


@dataclass(frozen=True)
class Settings:
    """How a player wants things.

    `picture`: the board as a picture, too. `subject`: `plain`, or `classic`, which names whose
    turn it is. `mails`: `all`, or `turn`, only when there is something to do or to read.
    `timezone` is a name of the IANA database. `strict`: a yes stands for no other mail,
    and with `strict_by_provider` a mail counts only where the sender's domain vouches for it, too.
    `weekend`: clocks run on Saturdays and Sundays as well. `languages` are codes of ISO 639-1 with
    commas between them, which others may see. `challenges`: `on`, `ask` or `off`, what
    another's challenge does. `limit`: with so many games going that others began, no further
    challenge is taken; 0 for none. `digest`: `off`, or how often
    what others bring about comes as one mail, `hourly` or `daily`, at the hour `digest_at`.
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

    @property
    def wants_digests(self) -> bool:
        """Whether what others bring about waits for a digest."""
        return self.digest != "off"


@dataclass(frozen=True)
class Player:
    """A registered player; `addresses` are verified, the first one gets the mail.

    `unreachable_since` is when we learned that mail to it comes back, None while it arrives.
    `robot` is the name of one that plays by itself and gets no mail, None for people.
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

    @property
    def address(self) -> str:
        """Where mail to this player goes."""
        return self.addresses[0]


@dataclass(frozen=True)
class Vacation:
    """Days on which no clock of a player runs, the last one included; on one board, or on all."""

    id: int
    first_day: date
    last_day: date
    board_id: int | None


@dataclass(frozen=True)
class News:
    """Something that happened on a board, for one who is told of it with the next digest.

    `told` are frozen parameters of a mail, of so many characters; `after_ply` is the last one of
    which the reader had been told by then.
    """

    after_ply: int
    told: dict[str, Any]
    size: int
    kept_at: datetime


@dataclass(frozen=True)
class Seat:
    """Who sits where on a board; `last_ply` is the one played last there, 0 before the first.

    In a record `handle` is the name that it gives, and the seat belongs to who brought it in.
    `unreachable`: mail to the player comes back; `removed`: the player has left this server.
    `answered`: the player began the board, or has moved or written there. `used` are the seconds
    of a clock that counts them, and `banked` those left in its bank, None for a full one. `absent`:
    the player has let a board run out, and has not moved anywhere since. `robot` is the name of
    one that plays here by itself.
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
    absent: bool = False
    robot: str | None = None


@dataclass(frozen=True)
class Offer:
    """Something that a player asked the others of a board to agree to: a draw, a take-back.

    `moved` is the ply that the asker had played last. One that was turned down is kept, not open
    any more, since it may not be repeated before the asker's next move.
    """

    kind: str
    by: int
    moved: int
    agreed: tuple[int, ...] = ()
    open: bool = True


@dataclass(frozen=True)
class Round:
    """A board's place in a match, which goes by the number of its first board."""

    match_id: int
    number: int
    rounds: int


@dataclass(frozen=True)
class Stop:
    """A time in which the clock of a board stood still; `bounced`: as mail to who was to move came
    back."""

    begin: datetime
    end: datetime
    bounced: bool = False


@dataclass(frozen=True)
class Board:
    """A game on the server with its current position.

    `winners` are the winning seats, empty for a draw, None while there is no result: the
    operator may decide a game whose position is not the end of one. `tags` are those of a record
    that the game came as. `game` names the game, `options` is what was chosen for it. `clock` has
    the terms of its clock, None for the usual ones; it has waited for the player to move since
    `waits_since`, and that player was reminded so many times, and was `given` so many seconds more.
    Meanwhile its clock stood still in `stops`, and does so since `paused_since`.
    """

    id: int
    game: str
    rules_version: int
    options: Options
    subject: str
    start_state: str
    state: str
    ply: int
    status: str
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
        """The game that is played here. Raises StateError if it is not installed."""
        return game_named(self.game)

    @property
    def is_installed(self) -> bool:
        """Whether its game is; else nothing can be said of its position."""
        return self.game in games()

    @cached_property
    def position(self) -> Position:
        """The current position, parsed once. Raises StateError."""
        return self.rules.load(self.state)

    @property
    def start(self) -> Position:
        """The position before the first move. Raises StateError."""
        return self.rules.load(self.start_state)

    @property
    def playing(self) -> bool:
        """Whether moves can still be made."""
        return self.status == "playing"

    @property
    def to_move(self) -> Seat | None:
        """The seat of the player whose turn it is, None once the board is over.

        In teams that may be the partner of the seat that moves.
        """
        seat = mover(self.position) if self.playing else None
        return self.seats[seat - 1] if seat else None

    @property
    def from_record(self) -> bool:
        """Whether this game was brought in as a record, and not played here."""
        return self.seats[0].from_record

    @property
    def still_in(self) -> tuple[int, ...]:
        """The players who have not left, each once, in the order of their seats."""
        out = self.position.out
        return tuple(dict.fromkeys(seat.player_id for seat in self.seats if seat.seat not in out))

    def offer(self, kind: str) -> Offer | None:
        """What was asked for last of this kind."""
        return next((offer for offer in self.offers if offer.kind == kind), None)

    def handle_of(self, player_id: int) -> str:
        """The handle of a player who sits here."""
        return next(seat.handle for seat in self.seats if seat.player_id == player_id)

    def has_moved(self, player_id: int) -> bool:
        """Whether a player has made a move here, be it for a partner who has left."""
        return any(self.seats[seat - 1].last_ply for seat in self.played_by(player_id))

    def played_by(self, player_id: int) -> tuple[int, ...]:
        """The seats that a player moves for: their own, and those of partners who have left."""
        own = [seat.seat for seat in self.seats_of(player_id)]
        return (*own, *(gone for seat in own for gone in self.gone_partners(seat)))

    def gone_partners(self, seat: int) -> tuple[int, ...]:
        """The seats of the same side whose players have left."""
        position = self.position
        return tuple(other for other in partners(position, seat) if other in position.out)

    @property
    def awaited_first_move(self) -> str | None:
        """What names the first move that this board waits for, None if it waits for no such.

        A robot is not waited for so. After a take-back it is another one.
        """
        mover = self.to_move
        if mover is None or mover.robot or self.from_record or self.has_moved(mover.player_id):
            return None
        return f"{self.id}.{mover.player_id}.{self.taken_back}"

    def last_ply_of(self, player_id: int) -> int:
        """The ply that a player's seats played last, 0 before the first."""
        return max((seat.last_ply for seat in self.seats_of(player_id)), default=0)

    def seats_of(self, player_id: int) -> tuple[Seat, ...]:
        """The seats that a player holds here; empty for a stranger to the board."""
        return tuple(seat for seat in self.seats if seat.player_id == player_id)


@dataclass(frozen=True)
class Ply:
    """A played move; `effect` is what the rules say came of it, for the templates to word.

    `times` is how often the position after it had stood by then, as a claim counts it; None for
    moves of versions that did not count.
    """

    ply: int
    seat: int
    text: str
    effect: dict[str, Any]
    played_at: datetime
    times: int | None = None


@dataclass(frozen=True)
class NewPly:
    """A move as it is written down; `stood` is the mark of the position after it."""

    ply: int
    seat: int
    text: str
    effect: dict[str, Any]
    stood: str | None = None


@dataclass(frozen=True)
class Progress:
    """How far a board has got, as it is written down: its position, whose turn it is, its end.

    `status` is `playing`, `finished` or `closed`; `winners` are as those of a board.
    """

    state: str
    ply: int
    to_move_id: int | None
    status: str = "playing"
    ended_by: str | None = None
    winners: tuple[int, ...] | None = None


class Pool(StrEnum):
    """Games whose results count together, of one game."""

    TWO = "two"
    MANY = "many"
    TEAMS = "teams"


@dataclass(frozen=True)
class Rating:
    """How strong a player is, as far as that is known: a mean and its uncertainty.

    `games` were counted, the last one at `at`.
    """

    mu: float
    sigma: float
    games: int
    at: datetime | None


@dataclass(frozen=True)
class Result:
    """What a finished board does to the rating of one of its players, who took a place there."""

    player_id: int
    place: int
    mu_before: float
    sigma_before: float
    mu: float
    sigma: float
    games: int


@dataclass(frozen=True)
class CountedBoard:
    """A board that counts for ratings; `number` says as which, in the order of counting."""

    number: int
    board_id: int
    game: str
    pool: Pool
    at: datetime


@dataclass(frozen=True)
class Departure:
    """A seat given up after `after_ply` plies.

    `spared`: it ran out in the same absence as another board before, and costs no rating.
    """

    after_ply: int
    seat: int
    how: str
    left_at: datetime
    spared: bool = False


@dataclass(frozen=True)
class Bookkeeping:
    """What is kept beside a board so that it is found quickly; it follows from the board.

    `playing` holds every mark of its seats: one of the two while the books are in order.
    """

    to_move_id: int | None
    playing: frozenset[bool]


@dataclass(frozen=True)
class InboxMail:
    """A mail that the server has taken responsibility for, for one recipient.

    `known` tells whether it seemed to be a player's when it came.
    """

    id: int
    recipient: str
    sender: str
    peer: str
    raw: bytes
    received_at: datetime
    status: str
    tries: int
    outcome: str | None
    known: bool = True
    answer_counted: bool = False


@dataclass(frozen=True)
class Queued:
    """Where a new mail stands in the order of turns; the rest are seconds.

    Mails of one `lane`, whose they are, or of one `board_lane`, about which board, are obeyed in
    order. `known` tells whether it seems to be a player's. Its place is now, later by `handicap`,
    and `apart` behind the last one of its lane that still waits; but none later than now by more
    than `furthest`.
    """

    lane: str | None = None
    board_lane: int | None = None
    known: bool = True
    handicap: float = 0.0
    apart: float = 1.0
    furthest: float = 120.0


@dataclass(frozen=True)
class NewMail:
    """A mail as it is written down to be sent, at once or from `due_at` on.

    `sender` is the envelope's.
    """

    kind: Kind
    recipient: str
    template: str
    params: dict[str, Any]
    headers: dict[str, Any]
    message_id: str
    sender: str
    written_at: datetime
    player_id: int | None = None
    board_id: int | None = None
    inbox_id: int | None = None
    due_at: datetime | None = None


@dataclass(frozen=True)
class OutboxMail:
    """A mail to be sent, with everything frozen that it is rendered from."""

    id: int
    kind: Kind
    recipient: str
    player_id: int | None
    board_id: int | None
    template: str
    params: dict[str, Any]
    headers: dict[str, Any]
    message_id: str
    sender: str
    written_at: datetime
    status: str
    attempts: int
    due_at: datetime
    last_error: str | None


@dataclass(frozen=True)
class Question:
    """A question to one address; `epoch` is that of its player when it was asked.

    `password` is what a yes to it sets.
    """

    id: int
    kind: str
    address: str
    player_id: int | None
    params: dict[str, Any]
    asked_at: datetime
    expires_at: datetime
    answer: str | None
    epoch: int
    password: SealedPassword | None = None


@dataclass(frozen=True)
class PendingCommands:
    """Commands (in full, with board and ply) that wait for a player's `yes`.

    `password` is what a `change password` among them sets.
    """

    id: int
    player_id: int
    board_id: int | None
    lines: tuple[str, ...]
    comment: tuple[str, ...]
    asked_at: datetime
    password: SealedPassword | None = None


@dataclass(frozen=True)
class Challenged:
    """A seat of a challenge, and its player; `waits`: who was asked, and has not answered yet."""

    seat: int
    player_id: int
    handle: str
    asked: bool
    waits: bool


@dataclass(frozen=True)
class PendingChallenge:
    """A challenge that waits until everybody who wants to be asked has said yes.

    `setup` is plain JSON. `first_unsaid`: its player has seat 1 without having asked for it.
    """

    id: int
    by_id: int
    setup: dict[str, Any]
    comment: tuple[str, ...]
    first_unsaid: bool
    asked_at: datetime
    expires_at: datetime
    seats: tuple[Challenged, ...]

    @property
    def asked(self) -> tuple[int, ...]:
        """The players who were asked, whatever they have answered."""
        return tuple(dict.fromkeys(seat.player_id for seat in self.seats if seat.asked))

    @property
    def waiting(self) -> tuple[int, ...]:
        """The players who have still to answer."""
        return tuple(dict.fromkeys(seat.player_id for seat in self.seats if seat.waits))

    def handle_of(self, player_id: int) -> str:
        """The handle of a player who sits here."""
        return next(seat.handle for seat in self.seats if seat.player_id == player_id)


@dataclass(frozen=True)
class Said:
    """What somebody said to the others of a board."""

    handle: str
    said_at: datetime
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What a player told the operator about a board, with the words of others there."""

    id: int
    handle: str
    board_id: int
    reported_at: datetime
    lines: tuple[str, ...]
    words: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Change:
    """One act of the operator; `handle` and `board_id` name whom or what it is about, if any."""

    at: datetime
    who: str
    why: str
    what: str
    handle: str | None
    board_id: int | None
    details: dict[str, Any]


@dataclass(frozen=True)
class Fact:
    """Something that the server knows of its surroundings, and since when; plain JSON."""

    value: Any
    noted_at: datetime


@dataclass(frozen=True)
class Heartbeat:
    """A role of a process: when the process last wrote, and when the role last went on."""

    process: str
    role: str
    host: str
    pid: int
    beat_at: datetime
    alive_at: datetime


class TimerKind(StrEnum):
    """What is to be done at a moment; `pbm.service.ticks.registry` says how."""

    FIRST_MOVE_REMINDER = "first-move-reminder"
    FIRST_MOVE_DECLINE = "first-move-decline"
    QUESTION_LAPSE = "question-lapse"
    DAILY_ERASURE = "daily-erasure"
    RATINGS = "ratings"
    CLOCK = "clock"
    VACATION = "vacation"
    VACATION_OVER = "vacation-over"
    SEEK_LAPSE = "seek-lapse"
    DIGEST = "digest"


@dataclass(frozen=True)
class Timer:
    """Something to be done at `due_at`, or looked at again then; its time counts from `since`.

    `kind` is a `TimerKind`, or one that only a newer program knows. `about` makes it one and the
    same of its kind. `set_at` is when it was written or put off last.
    """

    id: int
    kind: str
    about: str
    board_id: int | None
    player_id: int | None
    question_id: int | None
    since: datetime
    set_at: datetime
    due_at: datetime
    tries: int = 0
    last_error: str | None = None
    stuck: bool = False


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
        return (self.least or rating) <= rating <= (self.most or rating)


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
