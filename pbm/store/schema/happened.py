"""Tables of what happened on boards, and up to where each reader and watcher was told."""

from sqlalchemy import JSON, Boolean, Column, Index, Integer, String, false, text

from pbm.store.schema.columns import JsonOf, Moment, Word, identity, only_where, to
from pbm.store.schema.games import RECORD
from pbm.store.schema.personal import ExportedBy, ExportRows, NotExported, Personal, table
from pbm.store.values.happened import How

board_events = table(  # rows are only added; `pbm/events/kept.py` has their plain form
    "board_events",
    to("boards", "board_id", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1, without gaps
    Column("at", Moment, nullable=False),
    Column("kind", String(24), nullable=False),
    Column("fields", JSON, nullable=False),  # numbers of players, never handles or addresses
    Column("by_id", Integer),  # the player who caused it
    Column("cause", Integer),  # the number of the mail that caused it
    Column("unheard", JsonOf(tuple)),  # waiting readers who will not be told of it
    mark=Personal(("by_id",), erasure=RECORD, export=ExportedBy("boards")),
)

readers = table(
    "readers",
    to("boards", "board_id", primary_key=True),
    to("players", "player_id", primary_key=True),
    Column("seen", Integer, nullable=False, server_default="0"),  # the last event that was told
    # When the first event after it happened, if the reader is told of it later; and the size of
    # what waits, in characters.
    Column("since", Moment),
    Column("waiting", Integer, nullable=False, server_default="0"),
    Column("muted", Boolean, nullable=False, server_default=false()),  # hears no words there
    Index("ix_readers_player_id", "player_id", "since"),
    mark=Personal(("player_id",), export=NotExported("the player gets it with the next digest")),
)


AT_ONCE = "how <> 'daily'"  # of those who are told at once

watchings = table(
    "watchings",
    identity(),
    to("players", "watcher_id", nullable=False, index=True),
    to("boards", "board_id"),  # either this one,
    to("players", "followed_id"),  # or all boards of this player
    Column("how", Word(How, 6), nullable=False),
    Column("since", Moment, nullable=False),
    # The player is not to be followed any more, and the watcher is still to be told so.
    Column("over", Boolean, nullable=False, server_default=false()),
    Index("ix_watchings_board_id", "board_id", "watcher_id", unique=True),
    Index("ix_watchings_followed_id", "followed_id", "watcher_id", unique=True),
    # Each turn of a board looks for one of these, and finds it among any number of others.
    Index("ix_watchings_board_at_once", "board_id", **only_where(text(AT_ONCE))),
    Index("ix_watchings_followed_at_once", "followed_id", **only_where(text(AT_ONCE))),
    mark=Personal(
        ("watcher_id", "followed_id"),
        export=ExportRows(
            "watching",
            {"board": "board_id", "player": "followed_id", "how": "how", "since": "since"},
        ),
    ),
)

watched = table(
    "watched",
    to("boards", "board_id", primary_key=True),
    to("players", "watcher_id", primary_key=True, index=True),
    Column("seen", Integer, nullable=False),  # the last event that the watcher was told of
    mark=Personal(("watcher_id",), export=NotExported("the watcher has had these mails")),
)
