"""The tables. Moves are the truth; the current position is kept beside them.

Columns hold plain values only: times are aware UTC, parameters are JSON.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    literal_column,
    text,
    true,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from pbm.store.kinds import Kind


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime on every database (SQLite alone would forget the zone)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any]:
        """Refuse naive datetimes; store UTC."""
        return _utc_text if dialect.name == "sqlite" else _utc

    def result_processor(
        self,
        dialect: Dialect,
        coltype: object,  # noqa: ARG002
    ) -> Callable[[Any], datetime | None]:
        """Give UTC back."""
        return _from_utc_text if dialect.name == "sqlite" else _utc


class MailKind(TypeDecorator[Kind]):
    """A kind of mail, as its word."""

    impl = String(10)
    cache_ok = True

    def process_bind_param(self, value: Kind | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Store the word."""
        return value.value if value else None

    def process_result_value(self, value: str | None, dialect: Dialect) -> Kind | None:  # noqa: ARG002
        """Give the kind back."""
        return Kind.stored(value) if value else None


def _utc(moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise ValueError("a stored moment must be aware")
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def _utc_text(moment: datetime | None) -> str | None:
    """As SQLAlchemy writes it into SQLite, without a zone."""
    utc = _utc(moment)
    return None if utc is None else utc.isoformat(" ", "microseconds").removesuffix("+00:00")


def _from_utc_text(text: str | None) -> datetime | None:
    return datetime.fromisoformat(f"{text}+00:00") if text else None


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


NEW, STUCK = (literal_column(f"'{word}'", String) for word in ("new", "stuck"))
DUE, FAILED = (literal_column(f"'{word}'", String) for word in ("due", "failed"))
OPEN = literal_column("'open'", String)
"""Words that partial indexes are made for. They stand in the SQL itself: with a bound value in
their place PostgreSQL's generic plans know no such index, and SQLite prepares each time anew."""


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _to(target: str, name: str, **options: Any) -> Column[int]:
    return Column(name, Integer, ForeignKey(f"{target}.id"), **options)


players = Table(
    "players",
    metadata,
    _id(),
    Column("handle", String(16), nullable=False, unique=True),
    Column("status", String(10), nullable=False),  # active, suspended, removed
    Column("epoch", Integer, nullable=False),  # raised by newkey: older reply tags die
    Column("joined_at", Moment, nullable=False),
    Column("settings", JSON(none_as_null=True)),  # those that are not the default
    Column("password_hash", String(200)),
    Column("bounces", Integer, nullable=False, server_default="0"),  # soft ones, in a row
    Column("bounced_at", Moment),
    Column("unreachable_since", Moment),  # null while mail arrives
    Column("absent_since", Moment),  # a first forfeit; null again with the next move
    Column("robot", String(16)),  # its name among robots; null for people
    sqlite_autoincrement=True,
)

former_handles = Table(
    "former_handles",
    metadata,
    Column("handle", String(16), primary_key=True),
    _to("players", "player_id", nullable=False, index=True),
)

addresses = Table(
    "addresses",
    metadata,
    _id(),
    _to("players", "player_id", nullable=False, index=True),
    Column("address", String(254), nullable=False),
    Column("address_key", String(254), nullable=False, unique=True),
    Column("verified_at", Moment, nullable=False),
)

boards = Table(
    "boards",
    metadata,
    _id(),
    Column("game", String(16), nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("options", JSON, nullable=False),  # what was chosen, by name
    Column("subject", String(200), nullable=False),  # frozen for the board's life
    Column("start_state", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("status", String(10), nullable=False),  # playing, finished, closed
    # by what the rules name, or: agreed, claimed, declined, operator, record
    Column("ended_by", String(12)),
    Column("winners", JSON(none_as_null=True)),  # seats, [] for a draw; null without a result
    _to("players", "to_move_id"),
    Column("started_at", Moment, nullable=False),
    Column("changed_at", Moment, nullable=False),
    Column("offers", JSON(none_as_null=True)),  # draws and take-backs that were asked for
    Column("taken_back", Integer, nullable=False, server_default="0"),  # how often plies were
    Column("match_id", Integer),  # the number of the match's first board
    Column("round", Integer),
    Column("rounds", Integer),  # of the whole match
    Column("rematch_of", Integer),  # a board's number
    Column("tags", JSON(none_as_null=True)),  # of a record: pairs of a name and a value
    Column("begun_by_id", Integer),  # the number of the player who challenged the others
    Column("rated", Boolean, nullable=False, server_default=true()),  # as it was begun
    Column("clock", JSON(none_as_null=True)),  # its terms; null for the usual ones
    Column("waits_since", Moment),  # for the player to move
    Column("reminded", Integer, nullable=False, server_default="0"),  # how often, of that move
    Column("given", Integer, nullable=False, server_default="0"),  # seconds more for that move
    # Pairs of moments between which the clock has stood still since then, and since when it does.
    Column("stops", JSON(none_as_null=True)),
    Column("paused_since", Moment),
    Index(
        "ix_boards_begun_by_id",
        "begun_by_id",
        sqlite_where=text("begun_by_id IS NOT NULL"),
        postgresql_where=text("begun_by_id IS NOT NULL"),
    ),
    Index(
        "ix_boards_match_id",
        "match_id",
        sqlite_where=text("match_id IS NOT NULL"),
        postgresql_where=text("match_id IS NOT NULL"),
    ),
    Index(
        "ix_boards_rematch_of",
        "rematch_of",
        sqlite_where=text("rematch_of IS NOT NULL"),
        postgresql_where=text("rematch_of IS NOT NULL"),
    ),
    Index(
        "ix_boards_to_move_id",
        "to_move_id",
        sqlite_where=text("to_move_id IS NOT NULL"),
        postgresql_where=text("to_move_id IS NOT NULL"),
    ),
    sqlite_autoincrement=True,
)

seats = Table(
    "seats",
    metadata,
    _to("boards", "board_id", primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    _to("players", "player_id", nullable=False),
    Column("playing", Boolean, nullable=False),  # false once the board is over
    Column("last_ply", Integer, nullable=False),  # that this seat played, 0 before its first
    Column("name", String(40)),  # of who sat here in a record, which belongs to its importer
    # Whether the player began the board, or has moved or written since it was begun.
    Column("answered", Boolean, nullable=False, server_default=false()),
    # Whether the player was told where words without a command go.
    Column("told_of_words", Boolean, nullable=False, server_default=false()),
    # Of the clock, in seconds, where its terms ask for that; null in the bank for a full one.
    Column("used", Integer, nullable=False, server_default="0"),
    Column("banked", Integer),
    Index(
        "ix_seats_unanswered",
        "player_id",
        "board_id",
        sqlite_where=text("playing = 1 AND answered = 0"),
        postgresql_where=text("playing AND NOT answered"),
    ),
    Index("ix_seats_of_player", "player_id", "playing", "board_id"),
)

moves = Table(
    "moves",
    metadata,
    _to("boards", "board_id", primary_key=True),
    Column("ply", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, nullable=False),
    Column("text", String(16), nullable=False),
    Column("effect", JSON, nullable=False),  # as the rules put it; the templates word it
    Column("played_at", Moment, nullable=False),
    Column("stood", String(16)),  # what stood after it, as a claim sees it; older ones lack it
    Column("times", Integer),  # how often that had stood by then, counted no further than needed
    Index("ix_moves_stood", "board_id", "stood", "ply"),
)

departures = Table(
    "departures",
    metadata,
    _id(),
    _to("boards", "board_id", nullable=False, index=True),
    Column("after_ply", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("how", String(12), nullable=False),  # resigned, removed, forfeited
    Column("left_at", Moment, nullable=False),
    # Of a forfeit that is not the first of one absence: it costs its player no rating.
    Column("spared", Boolean, nullable=False, server_default=false()),
)

inbox = Table(
    "inbox",
    metadata,
    _id(),
    Column("digest", String(80), nullable=False),
    Column("recipient", String(254), nullable=False),
    Column("sender", String(254), nullable=False),
    Column("peer", String(64), nullable=False),
    Column("raw", LargeBinary),  # erased when the row is done
    Column("received_at", Moment, nullable=False),
    Column("status", String(6), nullable=False),  # new, done, stuck
    Column("tries", Integer, nullable=False),
    Column("outcome", Text),
    Column("done_at", Moment),
    Column("lane", String(254)),  # of one player, or one sender: obeyed in order
    Column("board_lane", Integer),  # of one board: obeyed in order, too
    Column("place", Float, nullable=False, server_default="0"),  # in the order of turns, seconds
    Column("known", Boolean, nullable=False, server_default=true()),  # a player's, it seems
    Column("aside_until", Moment),  # while a process reads it, or hashes a password for it
    # Whether an answer to a stranger was counted when it came.
    Column("answer_counted", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("digest", "recipient"),
    *(
        Index(
            f"ix_inbox_{name}",
            *columns,
            sqlite_where=text("status = 'new'"),
            postgresql_where=text("status = 'new'"),
        )
        for name, columns in (
            ("lane", ("lane", "place")),
            ("board_lane", ("board_lane", "id")),
            ("place", ("place", "id")),
        )
    ),
    Index("ix_inbox_sender", text("lower(sender)")),  # whose mails are forgotten when they leave
    Index(
        "ix_inbox_waiting",
        "id",
        sqlite_where=text("status = 'new'"),
        postgresql_where=text("status = 'new'"),
    ),
    Index(
        "ix_inbox_stuck",
        "id",
        sqlite_where=text("status = 'stuck'"),
        postgresql_where=text("status = 'stuck'"),
    ),
    sqlite_autoincrement=True,
)

outbox = Table(
    "outbox",
    metadata,
    _id(),
    Column("kind", MailKind, nullable=False),
    Column("recipient", String(254), nullable=False),
    Column("recipient_key", String(254), nullable=False),
    _to("players", "player_id", index=True),
    _to("boards", "board_id"),
    _to("inbox", "inbox_id"),
    Column("thread", Integer, nullable=False),  # the board's number, 0 outside any: keeps order
    Column("template", String(40), nullable=False),
    Column("params", JSON),  # frozen; erased when the row is finished, like the headers
    Column("headers", JSON),
    Column("message_id", String(200), nullable=False, unique=True),
    Column("sender", String(254), nullable=False),  # envelope sender, empty for <>
    Column("written_at", Moment, nullable=False),
    Column("status", String(8), nullable=False),  # due, sent, failed, dropped
    Column("attempts", Integer, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("last_error", Text),
    Column("finished_at", Moment),
    Index(
        "ix_outbox_due",
        "due_at",
        "id",
        sqlite_where=text("status = 'due'"),
        postgresql_where=text("status = 'due'"),
    ),
    Index(
        "ix_outbox_order",
        "recipient_key",
        "thread",
        "id",
        sqlite_where=text("status = 'due'"),
        postgresql_where=text("status = 'due'"),
    ),
    Index(
        "ix_outbox_waiting",
        "id",
        sqlite_where=text("status = 'due'"),
        postgresql_where=text("status = 'due'"),
    ),
    Index(
        "ix_outbox_failed",
        "id",
        sqlite_where=text("status = 'failed'"),
        postgresql_where=text("status = 'failed'"),
    ),
    Index("ix_outbox_answers", "recipient_key", "kind", "written_at"),
    sqlite_autoincrement=True,
)

questions = Table(
    "questions",
    metadata,
    _id(),
    Column("token_digest", String(64), nullable=False, unique=True),
    Column("kind", String(10), nullable=False),  # signup, confirm, alias, invite
    Column("address", String(254), nullable=False),
    Column("address_key", String(254), nullable=False),
    _to("players", "player_id"),
    Column("params", JSON, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("answer", String(10)),  # yes, no; null while open
    Column("epoch", Integer, nullable=False, server_default="1"),  # of the player asked
    Index("ix_questions_address_key", "address_key", "kind", "asked_at"),
    Index("ix_questions_player_id", "player_id", "kind", "asked_at"),
)

errands = Table(
    "errands",
    metadata,
    _id(),
    _to("players", "player_id", nullable=False),
    _to("boards", "board_id"),
    Column("lines", JSON, nullable=False),
    Column("comment", JSON, nullable=False),
    Column("password_hash", String(200)),  # what a `change password` among the lines sets
    Column("password_seal", String(40)),  # which shows that we wrote it down
    # waiting, held, elsewhere, invited, done, dropped
    Column("status", String(10), nullable=False),
    Column("asked_at", Moment, nullable=False),
    Index("ix_errands_player_id", "player_id", "status"),
)

changes = Table(
    "changes",
    metadata,
    _id(),
    Column("at", Moment, nullable=False),
    Column("who", String(80), nullable=False),
    Column("why", Text, nullable=False),
    Column("what", String(40), nullable=False),
    _to("players", "player_id", index=True),
    _to("boards", "board_id", index=True),
    Column("details", JSON, nullable=False),
)

buckets = Table(
    "buckets",
    metadata,
    Column("key", String(300), primary_key=True),  # what is limited, and for whom
    Column("tokens", Float, nullable=False),
    Column("filled_at", Moment, nullable=False, index=True),
)

facts = Table(
    "facts",
    metadata,
    Column("name", String(40), primary_key=True),  # what the server knows about its surroundings
    Column("value", JSON, nullable=False),
    Column("noted_at", Moment, nullable=False),
)

heartbeats = Table(
    "heartbeats",
    metadata,
    Column("process", String(16), primary_key=True),  # one run of a program, on any machine
    Column("role", String(20), primary_key=True),
    Column("host", String(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("beat_at", Moment, nullable=False),  # when the process wrote this
    Column("alive_at", Moment, nullable=False),  # when the role was last seen to go on
)

due = Table(
    "due",
    metadata,
    _id(),
    Column("kind", String(30), nullable=False),
    Column("about", String(60), nullable=False),  # what makes it one and the same of its kind
    Column("board_id", Integer),
    Column("player_id", Integer),
    Column("question_id", Integer),
    Column("since", Moment, nullable=False),  # from when its time counts
    Column("set_at", Moment, nullable=False),  # when it was written, or put off last
    Column("due_at", Moment, nullable=False),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("last_error", Text),
    Column("stuck", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("kind", "about"),
    Index(
        "ix_due_next",
        "due_at",
        "id",
        sqlite_where=text("stuck = 0"),
        postgresql_where=text("NOT stuck"),
    ),
    Index(
        "ix_due_stuck",
        "id",
        sqlite_where=text("stuck = 1"),
        postgresql_where=text("stuck"),
    ),
    sqlite_autoincrement=True,
)

vacations = Table(
    "vacations",
    metadata,
    _id(),
    _to("players", "player_id", nullable=False),
    _to("boards", "board_id"),  # where it holds; null for all of the player's boards
    Column("first_day", Date, nullable=False),  # both in the player's time zone
    Column("last_day", Date, nullable=False),
    Index("ix_vacations_player_id", "player_id", "last_day"),
)

rated_boards = Table(
    "rated_boards",
    metadata,
    _id(),  # in the order in which they were counted
    _to("boards", "board_id", nullable=False, unique=True),
    Column("game", String(16), nullable=False),
    Column("pool", String(6), nullable=False),  # two, many, teams
    Column("counted_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

results = Table(
    "results",
    metadata,
    _to("rated_boards", "rated_id", primary_key=True),
    _to("players", "player_id", primary_key=True),
    Column("game", String(16), nullable=False),
    Column("pool", String(6), nullable=False),
    Column("place", Integer, nullable=False),
    Column("mu_before", Float, nullable=False),
    Column("sigma_before", Float, nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),  # that were rated so far, this one included
    Index("ix_results_player_id", "player_id", "game", "pool", "rated_id"),
)

ratings = Table(  # the last result of each player, by how strong they are
    "ratings",
    metadata,
    Column("game", String(16), primary_key=True),
    Column("pool", String(6), primary_key=True),
    _to("players", "player_id", primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("counted_at", Moment, nullable=False),
    Index("ix_ratings_place", "game", "pool", "mu", "player_id"),
    Index("ix_ratings_player_id", "player_id"),
)

seeks = Table(
    "seeks",
    metadata,
    _id(),
    Column("game", String(16), nullable=False),
    Column("pool", String(6), nullable=False),  # whose ratings count for it: two, many, teams
    Column("players", Integer, nullable=False),
    Column("options", JSON, nullable=False),
    Column("rounds", Integer),
    Column("rated", Boolean, nullable=False),
    Column("clock", JSON(none_as_null=True)),
    Column("wishes", JSON, nullable=False),  # the options as they are written
    Column("usual", Boolean, nullable=False),  # without any wish, so that it may be paired
    Column("pairs", Boolean, nullable=False),  # begins with the next who wants such a game
    Column("least", Integer),  # the ratings of those who may join
    Column("most", Integer),
    Column("status", String(10), nullable=False),  # open, begun, withdrawn, lapsed
    Column("made_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    _to("boards", "board_id"),  # that it became
    Index(
        "ix_seeks_open",
        "id",
        sqlite_where=text("status = 'open'"),
        postgresql_where=text("status = 'open'"),
    ),
    sqlite_autoincrement=True,
)

seekers = Table(
    "seekers",
    metadata,
    _to("seeks", "seek_id", primary_key=True),
    _to("players", "player_id", primary_key=True),
    Column("place", Integer, nullable=False),  # 1 is who made it
    Index("ix_seekers_player_id", "player_id", "seek_id"),
)

blocks = Table(
    "blocks",
    metadata,
    _to("players", "player_id", primary_key=True),
    _to("players", "blocked_id", primary_key=True, index=True),
    Column("blocked_at", Moment, nullable=False),
)

challenges = Table(  # those that wait until everybody who wants to be asked has said yes
    "challenges",
    metadata,
    _id(),
    _to("players", "by_id", nullable=False, index=True),
    Column("setup", JSON, nullable=False),
    Column("comment", JSON, nullable=False),
    Column("first_unsaid", Boolean, nullable=False),  # seat 1 is the challenger's unasked
    Column("asked_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

challenged = Table(
    "challenged",
    metadata,
    _to("challenges", "challenge_id", primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    _to("players", "player_id", nullable=False),
    Column("asked", Boolean, nullable=False),
    Column("waits", Boolean, nullable=False),  # asked, and has not answered
    Index("ix_challenged_player_id", "player_id", "challenge_id"),
)

words = Table(  # what was said on boards lately, so that it can be reported
    "words",
    metadata,
    _id(),
    _to("boards", "board_id", nullable=False, index=True),
    _to("players", "player_id", nullable=False, index=True),
    Column("said_at", Moment, nullable=False, index=True),
    Column("lines", JSON, nullable=False),
    sqlite_autoincrement=True,
)

reports = Table(
    "reports",
    metadata,
    _id(),
    _to("players", "player_id", nullable=False, index=True),
    _to("boards", "board_id", nullable=False),
    Column("reported_at", Moment, nullable=False, index=True),
    Column("lines", JSON, nullable=False),  # of whoever reports
    Column("words", JSON, nullable=False),  # of the others: who, when, which lines
    sqlite_autoincrement=True,
)

kept_news = Table(  # what a player is told with the next digest
    "kept_news",
    metadata,
    _id(),
    _to("players", "player_id", nullable=False),
    _to("boards", "board_id", nullable=False),
    Column("after_ply", Integer, nullable=False),  # the last one that the player has been told of
    Column("told", JSON, nullable=False),  # frozen, as the parameters of a mail
    Column("size", Integer, nullable=False),  # of that, in characters
    Column("kept_at", Moment, nullable=False),
    Index("ix_kept_news_player_id", "player_id", "board_id"),
)

reminded_boards = Table(  # of a reminder that holds several boards
    "reminded_boards",
    metadata,
    _to("outbox", "outbox_id", primary_key=True),
    _to("boards", "board_id", primary_key=True),
)
