"""Tables of watchers: players who are told of boards on which they do not play."""

from sqlalchemy import Boolean, Column, Index, Integer, false, text

from pbm.store.schema.columns import Moment, Word, identity, only_where, to
from pbm.store.schema.personal import ExportRows, NotExported, Personal, table
from pbm.store.values.watching import How

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
