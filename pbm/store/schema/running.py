"""Tables of server state, rate limits, timers, and jobs of robots."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)

from pbm.store.schema.columns import Moment, identity, only_where, to
from pbm.store.schema.personal import (
    BlankColumns,
    DeleteRows,
    ErasedBy,
    ExportRows,
    KeepRows,
    NotExported,
    Personal,
    table,
)

changes = table(
    "changes",
    identity(),
    Column("at", Moment, nullable=False),
    Column("who", String(80), nullable=False),
    Column("why", Text, nullable=False),
    Column("what", String(40), nullable=False),
    to("players", "player_id", index=True),
    to("boards", "board_id", index=True),
    Column("details", JSON, nullable=False),
    mark=Personal(
        ("player_id",),
        erasure=BlankColumns({"details": {}}),  # old addresses, for one
        export=ExportRows("changes_by_the_operator", {"at": "at", "what": "what", "why": "why"}),
    ),
)


bans = table(
    "bans",
    Column("what", String(254), primary_key=True),  # a handle, address, @domain or network
    to("players", "player_id", index=True),  # of the handle
    Column("at", Moment, nullable=False),
    Column("who", String(80), nullable=False),
    Column("why", Text, nullable=False),
    mark=Personal(
        ("player_id",),
        erasure=KeepRows("the handle stays banned, its addresses are forgotten"),
        export=NotExported("what it was for is in the journal"),
        hidden=("what",),
    ),
)


buckets = table(
    "buckets",
    Column("key", String(300), primary_key=True),  # the rate limit, and whom it is for
    Column("tokens", Float, nullable=False),
    Column("filled_at", Moment, nullable=False, index=True),
    mark=Personal(
        erasure=ErasedBy("PersonalData.erase"),
        export=NotExported("counts, deleted after a week"),
        hidden=("key",),
    ),
)


facts = table(
    "facts",
    Column("name", String(40), primary_key=True),  # name of a fact about the server's environment
    Column("value", JSON, nullable=False),
    Column("noted_at", Moment, nullable=False),
    mark=None,
)


heartbeats = table(
    "heartbeats",
    Column("process", String(16), primary_key=True),  # one run of a program, on any machine
    Column("role", String(20), primary_key=True),
    Column("host", String(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("beat_at", Moment, nullable=False),  # when the process wrote this row
    Column("alive_at", Moment, nullable=False),  # last sign of life of the role
    Column("ahead", Float),  # seconds by which the process's clock is ahead of the database's
    Column("program", String(80), nullable=False, server_default=""),  # its version
    Column("tables", String(20), nullable=False, server_default=""),  # the version that it needs
    mark=None,
)


due = table(
    "due",
    identity(),
    Column("kind", String(30), nullable=False),
    Column("about", String(60), nullable=False),  # key, unique within the kind
    Column("board_id", Integer),
    Column("player_id", Integer),
    Column("question_id", Integer),
    Column("since", Moment, nullable=False),  # start of its time
    Column("set_at", Moment, nullable=False),  # when it was set or deferred last
    Column("due_at", Moment, nullable=False),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("last_error", Text),
    Column("stuck", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("kind", "about"),
    Index("ix_due_next", "due_at", "id", **only_where(text("stuck = 0"), text("NOT stuck"))),
    Index("ix_due_stuck", "id", **only_where(text("stuck = 1"), text("stuck"))),
    sqlite_autoincrement=True,
    mark=Personal(
        ("player_id",),
        erasure=KeepRows("deleted once it is done"),
        export=NotExported("moments that follow from what is exported"),
    ),
)


search_jobs = table(
    "thoughts",
    identity(),
    Column("kind", String(10), nullable=False),
    Column("about", String(80), nullable=False),  # key, unique within the kind
    to("boards", "board_id", nullable=False, index=True),
    Column("ply", Integer, nullable=False),
    to("players", "player_id", nullable=False),  # the player whose share of search time it uses
    Column("params", JSON(none_as_null=True)),
    Column("place", Float, nullable=False),  # order of search jobs, in seconds
    Column("asked_at", Moment, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("leased_by", String(32)),  # the process that works on it
    Column("leased_until", Moment),
    Column("tries", Integer, nullable=False, server_default="0"),  # failed ones
    Column("last_error", Text),
    Column("stuck", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("kind", "about"),
    Index("ix_thoughts_place", "place", "id"),
    Index("ix_thoughts_player_id", "player_id", "place"),
    mark=Personal(
        ("player_id",),
        erasure=DeleteRows(only={"kind": "hint"}),  # other jobs belong to boards that go on
        export=NotExported("deleted once the robot has answered"),
    ),
)

analyses = table(
    "analyses",
    to("boards", "board_id", primary_key=True, autoincrement=False),
    Column("mark", String(24), nullable=False),  # of the analysed state of the game
    Column("found", JSON, nullable=False),
    Column("began_at", Moment, nullable=False),
    Column("finished_at", Moment),
    mark=None,
)

analysis_readers = table(  # receive it once it is finished
    "analysis_readers",
    to("boards", "board_id", primary_key=True, autoincrement=False),
    to("players", "player_id", primary_key=True, autoincrement=False),
    Index("ix_analysis_readers_player_id", "player_id"),
    mark=Personal(("player_id",), export=ExportRows("awaited_analyses", "board_id")),
)
