"""Tables of the inbox, the outbox, and news kept for digests."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)

from pbm.store.schema.columns import Moment, Word, identity, only_where, to, where_it_waits
from pbm.store.schema.personal import BlankColumns, ErasedBy, KeepRows, NotExported, Personal, table
from pbm.store.values.mails import InboxStatus, Kind, OutboxStatus

# Class of the PostgreSQL advisory lock held while a mail of the outbox is sent.
IN_HAND = 0x70626D
_OF_SENDER = ("message_id", "lane", "taken", "outcome")

inbox = table(
    "inbox",
    identity(),
    Column("digest", String(80), nullable=False),
    Column("recipient", String(254), nullable=False),
    Column("sender", String(254), nullable=False),
    Column("peer", String(64), nullable=False),
    # The sender's network; empty if unknown.
    Column("network", String(64), nullable=False, server_default=""),
    Column("size", Integer, nullable=False, server_default="0"),  # bytes of the mail
    Column("message_id", String(420)),
    Column("received_at", Moment, nullable=False),
    Column("status", Word(InboxStatus, 6), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("taken", Text),  # whose mail it was taken for, and why
    Column("outcome", Text),
    Column("done_at", Moment),
    Column("lane", String(254)),  # a player or a sender, whose mails are obeyed in order
    Column("board_lane", Integer),  # a board, about which mails are obeyed in order
    Column("place", Float, nullable=False, server_default="0"),  # order of turns, in seconds
    Column("known", Boolean, nullable=False, server_default=true()),  # seems to be a player's
    Column("aside_until", Moment),  # delayed until then, while a thread works for it
    # Whether an answer to a stranger was counted on arrival.
    Column("answer_counted", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("digest", "recipient"),
    Index("ix_inbox_lane", "lane", "place", **where_it_waits("new", "lane")),
    Index("ix_inbox_board_lane", "board_lane", "id", **where_it_waits("new", "board_lane")),
    Index("ix_inbox_place", "place", "id", **where_it_waits("new", "place")),
    Index("ix_inbox_sender", text("lower(sender)")),  # for the erasure when the sender leaves
    Index("ix_inbox_stuck", "id", **only_where(text("status = 'stuck'"))),
    sqlite_autoincrement=True,
    mark=Personal(
        erasure=BlankColumns({"sender": "", **dict.fromkeys(_OF_SENDER)}),
        export=NotExported("the player has sent them"),
        addresses=("sender",),
    ),
)


# Contents have their own tables: their rows are deleted once the mail is done, and SQLite reuses
# the pages. In a remaining row they would leave nearly empty pages.
inbox_raw = table(
    "inbox_raw",
    to("inbox", "inbox_id", primary_key=True),
    Column("raw", LargeBinary, nullable=False),
    mark=Personal(
        erasure=KeepRows("deleted once the mail is done"),
        export=NotExported("the player has sent them"),
    ),
)


outbox = table(
    "outbox",
    identity(),
    Column("kind", Word(Kind.stored, 10), nullable=False),
    Column("recipient", String(254), nullable=False),
    Column("recipient_key", String(254), nullable=False),
    to("players", "player_id", index=True),
    to("boards", "board_id"),
    Column("inbox_id", Integer),  # the mail that caused it, which may be deleted before it
    Column("thread", Integer, nullable=False),  # the board, or 0; a thread is sent in order
    Column("template", String(40), nullable=False),
    Column("message_id", String(200), nullable=False, unique=True),
    Column("sender", String(254), nullable=False),  # envelope sender, empty for <>
    Column("written_at", Moment, nullable=False),
    Column("status", Word(OutboxStatus, 8), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("last_error", Text),  # why it was not sent, or why it came back
    Column("reply", Text),  # of the next server, which took it
    Column("finished_at", Moment),
    Index("ix_outbox_due", "due_at", "id", **where_it_waits("due", "due_at")),
    Index(
        "ix_outbox_order", "recipient_key", "thread", "id", **where_it_waits("due", "recipient_key")
    ),
    Index("ix_outbox_failed", "id", **only_where(text("status = 'failed'"))),
    Index("ix_outbox_answers", "recipient_key", "kind", "written_at"),
    sqlite_autoincrement=True,
    mark=Personal(
        ("player_id",),
        erasure=ErasedBy("PersonalData._erase_mails"),
        export=NotExported("the player gets them"),
        addresses=("recipient_key",),
    ),
)


# Keyed by Message-ID, which is known before the row's number. No foreign key: it would prevent
# inserting several mails in one statement.
outbox_contents = table(
    "outbox_contents",
    Column("message_id", String(200), primary_key=True),
    Column("params", JSON, nullable=False),
    Column("headers", JSON, nullable=False),
    mark=Personal(
        erasure=ErasedBy("PersonalData._erase_mails"), export=NotExported("the player gets them")
    ),
)


kept_notices = table(  # about no board, for the next digest
    "kept_notices",
    identity(),
    to("players", "player_id", nullable=False, index=True),
    Column("told", JSON, nullable=False),  # frozen, with the template's name
    Column("kept_at", Moment, nullable=False),
    mark=Personal(("player_id",), export=NotExported("the player gets it with the next digest")),
)


reminded_boards = table(  # the boards of a reminder about several
    "reminded_boards",
    to("outbox", "outbox_id", primary_key=True),
    to("boards", "board_id", primary_key=True),
    mark=None,
)
