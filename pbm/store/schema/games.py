"""The tables of boards. Moves are the truth; the current position is kept beside them."""

from sqlalchemy import JSON, Boolean, Column, Index, Integer, String, Table, Text, false, text, true

from pbm.store.schema.columns import Moment, identity, metadata, to
from pbm.store.schema.personal import ExportedBy, KeepRows, personal
from pbm.store.values.plies import MARK

FORGOTTEN = "forgotten"  # the status of a record that has gone, with its seats and moves
RECORD = KeepRows("records of games stay")

boards = Table(
    "boards",
    metadata,
    identity(),
    Column("game", String(16), nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("options", JSON, nullable=False),  # what was chosen, by name
    Column("subject", String(200), nullable=False),  # frozen for the board's life
    Column("start_state", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("status", String(10), nullable=False),  # playing, finished, closed, forgotten
    # by what the rules name, or: agreed, claimed, declined, operator, record
    Column("ended_by", String(12)),
    Column("winners", JSON(none_as_null=True)),  # seats, [] for a draw; null without a result
    to("players", "to_move_id"),
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
    info=personal(
        "begun_by_id",
        "to_move_id",
        erasure=RECORD,
        export=ExportedBy("boards"),
    ),
)


seats = Table(
    "seats",
    metadata,
    to("boards", "board_id", primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    to("players", "player_id", nullable=False),
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
    # Seconds for which the clock has stood still on this board as mail to the player came back.
    Column("stopped", Integer, nullable=False, server_default="0"),
    Index(
        "ix_seats_unanswered",
        "player_id",
        "board_id",
        sqlite_where=text("playing = 1 AND answered = 0"),
        postgresql_where=text("playing AND NOT answered"),
    ),
    Index("ix_seats_of_player", "player_id", "playing", "board_id"),
    info=personal("player_id", erasure=RECORD, export=ExportedBy("boards")),
)


moves = Table(
    "moves",
    metadata,
    to("boards", "board_id", primary_key=True),
    Column("ply", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, nullable=False),
    Column("text", String(16), nullable=False),
    Column("effect", JSON, nullable=False),  # as the rules put it; the templates word it
    Column("played_at", Moment, nullable=False),
    Column("stood", String(MARK)),  # what stood after it, as a claim sees it; older ones lack it
    Column("times", Integer),  # how often that had stood by then, counted no further than needed
    Index("ix_moves_stood", "board_id", "stood", "ply"),
    info=personal(erasure=RECORD, export=ExportedBy("boards")),
)


departures = Table(
    "departures",
    metadata,
    identity(),
    to("boards", "board_id", nullable=False, index=True),
    Column("after_ply", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("how", String(12), nullable=False),  # resigned, removed, forfeited
    Column("left_at", Moment, nullable=False),
    # Of a forfeit that is not the first of one absence: it costs its player no rating.
    Column("spared", Boolean, nullable=False, server_default=false()),
    info=personal(erasure=RECORD, export=ExportedBy("boards")),
)
