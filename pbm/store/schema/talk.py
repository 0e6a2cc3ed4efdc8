"""Tables of recent words on boards, and reports."""

from sqlalchemy import JSON, Column, Table

from pbm.store.schema.columns import Moment, identity, metadata, to
from pbm.store.schema.personal import ExportRows, personal

words = Table(  # kept for a time, so that they can be reported
    "words",
    metadata,
    identity(),
    to("boards", "board_id", nullable=False, index=True),
    to("players", "player_id", nullable=False, index=True),
    Column("said_at", Moment, nullable=False, index=True),
    Column("lines", JSON, nullable=False),
    sqlite_autoincrement=True,
    info=personal(
        "player_id",
        export=ExportRows("words", {"board": "board_id", "at": "said_at", "lines": "lines"}),
    ),
)


reports = Table(
    "reports",
    metadata,
    identity(),
    to("players", "player_id", nullable=False, index=True),
    to("boards", "board_id", nullable=False),
    Column("reported_at", Moment, nullable=False, index=True),
    Column("lines", JSON, nullable=False),  # of whoever reports
    Column("words", JSON, nullable=False),  # of the others: who, when, which lines
    sqlite_autoincrement=True,
    info=personal(
        "player_id",
        export=ExportRows("reports", {"board": "board_id", "at": "reported_at", "lines": "lines"}),
    ),
)
