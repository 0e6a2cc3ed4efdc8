"""Tables of what happened on boards, and up to where each reader was told."""

from sqlalchemy import JSON, Boolean, Column, Index, Integer, String, false

from pbm.store.schema.columns import JsonOf, Moment, to
from pbm.store.schema.games import RECORD
from pbm.store.schema.personal import ExportedBy, NotExported, Personal, table

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
