"""Tables of seeks (open challenges)."""

from sqlalchemy import JSON, Boolean, Column, Index, Integer, String, Table, text

from pbm.store.schema.columns import Moment, identity, metadata, to
from pbm.store.schema.personal import ExportedBy, KeepRows, personal

seeks = Table(
    "seeks",
    metadata,
    identity(),
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
    to("boards", "board_id"),  # that it became
    Index(
        "ix_seeks_open",
        "id",
        sqlite_where=text("status = 'open'"),
        postgresql_where=text("status = 'open'"),
    ),
    sqlite_autoincrement=True,
    info=personal(
        erasure=KeepRows(
            "one that is over stays; open ones are left by pbm.play.seeks.leave_all_seeks"
        ),
        export=ExportedBy("seeks"),
    ),
)


seekers = Table(
    "seekers",
    metadata,
    to("seeks", "seek_id", primary_key=True),
    to("players", "player_id", primary_key=True),
    Column("place", Integer, nullable=False),  # 1 is who made it
    Index("ix_seekers_player_id", "player_id", "seek_id"),
    info=personal(
        "player_id",
        erasure=KeepRows(
            "one that is over stays; open ones are left by pbm.play.seeks.leave_all_seeks"
        ),
        export=ExportedBy("seeks"),
    ),
)
