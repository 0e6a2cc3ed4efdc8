"""Tables of search jobs and analyses."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from pbm.store.schema.columns import Moment, identity, metadata, to
from pbm.store.schema.personal import IMPERSONAL, DeleteRows, ExportRows, NotExported, personal

thoughts = Table(
    "thoughts",
    metadata,
    identity(),
    Column("kind", String(10), nullable=False),
    Column("about", String(80), nullable=False),  # one and the same of its kind
    to("boards", "board_id", nullable=False, index=True),
    Column("ply", Integer, nullable=False),
    to("players", "player_id", nullable=False),  # whose share it is
    Column("params", JSON(none_as_null=True)),
    Column("place", Float, nullable=False),  # in the order of thoughts, seconds
    Column("asked_at", Moment, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("leased_by", String(32)),  # the process that thinks about it
    Column("leased_until", Moment),
    Column("tries", Integer, nullable=False, server_default="0"),  # that failed
    Column("last_error", Text),
    Column("stuck", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("kind", "about"),
    Index("ix_thoughts_place", "place", "id"),
    Index("ix_thoughts_player_id", "player_id", "place"),
    info=personal(
        "player_id",
        erasure=DeleteRows(only={"kind": "hint"}),  # a board goes on with the others
        export=NotExported("deleted once the robot has answered"),
    ),
)

analyses = Table(
    "analyses",
    metadata,
    Column("board_id", Integer, ForeignKey("boards.id"), primary_key=True, autoincrement=False),
    Column("mark", String(24), nullable=False),  # of the game as it was looked at
    Column("found", JSON, nullable=False),
    Column("began_at", Moment, nullable=False),
    Column("finished_at", Moment),
    info=IMPERSONAL,
)

analysis_readers = Table(  # get it once it is finished
    "analysis_readers",
    metadata,
    Column("board_id", Integer, ForeignKey("boards.id"), primary_key=True, autoincrement=False),
    Column("player_id", Integer, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    Index("ix_analysis_readers_player_id", "player_id"),
    info=personal(
        "player_id",
        export=ExportRows("awaited_analyses", "board_id"),
    ),
)
