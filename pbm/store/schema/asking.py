"""Tables of questions, waiting commands (errands), challenges, seeks, comments and reports.

A seek is an open challenge, which any player can accept.
"""

from sqlalchemy import JSON, Boolean, Column, Index, Integer, String, text

from pbm.store.schema.columns import JsonOf, Moment, Word, identity, only_where, to
from pbm.store.schema.personal import ErasedBy, ExportedBy, ExportRows, KeepRows, Personal, table
from pbm.store.values.asking import ErrandStatus, SeekStatus
from pbm.store.values.players import Pool

_SEEKS_STAY = KeepRows("closed ones stay; open ones are left by pbm.play.seeks.leave_all_seeks")

questions = table(
    "questions",
    identity(),
    Column("token_digest", String(64), nullable=False, unique=True),
    Column("kind", String(10), nullable=False),  # signup, confirm, alias, invite
    Column("address", String(254), nullable=False),
    Column("address_key", String(254), nullable=False),
    to("players", "player_id"),
    Column("params", JSON, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("answer", String(10)),  # yes, no; null while open
    Column("epoch", Integer, nullable=False, server_default="1"),  # of the player asked
    Column("wanted_by_id", Integer),  # the number of the player who wants to use the address
    Index("ix_questions_address_key", "address_key", "kind", "asked_at"),
    Index("ix_questions_player_id", "player_id", "kind", "asked_at"),
    Index(
        "ix_questions_wanted_by_id", "wanted_by_id", **only_where(text("wanted_by_id IS NOT NULL"))
    ),
    mark=Personal(
        ("player_id", "wanted_by_id"),
        export=ExportRows("questions", {"kind": "kind", "asked": "asked_at", "answer": "answer"}),
        addresses=("address_key",),
    ),
)


errands = table(
    "errands",
    identity(),
    to("players", "player_id", nullable=False),
    to("boards", "board_id"),
    Column("lines", JsonOf(tuple), nullable=False),
    Column("comment", JsonOf(tuple), nullable=False),
    Column("password_hash", String(200)),  # set by a `change password` among the lines
    Column("password_seal", String(40)),  # proves that it was stored by us
    Column("status", Word(ErrandStatus, 10), nullable=False),
    Column("asked_at", Moment, nullable=False),
    Index("ix_errands_player_id", "player_id", "status"),
    Index("ix_errands_unsent", "asked_at", **only_where(text("status = 'unsent'"))),
    mark=Personal(
        ("player_id",),
        export=ExportRows(
            "commands_to_confirm",
            {"lines": "lines", "comment": "comment", "asked": "asked_at", "status": "status"},
        ),
    ),
)


consents = table(  # standing consents: a yes that also counts for later moves of the same origin
    "consents",
    to("players", "player_id", primary_key=True),
    Column("origin", String(32), primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("given_at", Moment, nullable=False, index=True),
    mark=Personal(("player_id",), export=ExportRows("consents", {"given": "given_at"})),
)


challenges = table(  # pending until every player to be asked has said yes
    "challenges",
    identity(),
    to("players", "by_id", nullable=False, index=True),
    Column("setup", JSON, nullable=False),
    Column("comment", JsonOf(tuple), nullable=False),
    Column("first_unsaid", Boolean, nullable=False),  # the challenger got seat 1 by default
    # The command without its players, while guests are asked by mail address; null afterwards.
    Column("command", String(1000)),
    Column("asked_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    sqlite_autoincrement=True,
    mark=Personal(
        ("by_id",),
        erasure=ErasedBy("pbm.play.challenges.call_off_all"),
        export=ExportRows(
            "challenges", {"number": "id", "comment": "comment", "asked": "asked_at"}
        ),
    ),
)


challenged = table(
    "challenged",
    to("challenges", "challenge_id", primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    to("players", "player_id"),  # null for a guest who is asked by mail address, until the yes
    Column("address", String(254)),
    Column("asked", Boolean, nullable=False),
    Column("waits", Boolean, nullable=False),  # was asked, and has not answered
    Index("ix_challenged_player_id", "player_id", "challenge_id"),
    Index("ix_challenged_address", text("lower(address)")),
    mark=Personal(
        ("player_id",),
        erasure=ErasedBy("pbm.play.challenges.call_off_all"),
        export=ExportRows(
            "seats_in_challenges", {"challenge": "challenge_id", "seat": "seat", "waits": "waits"}
        ),
        addresses=("address",),
    ),
)


seeks = table(
    "seeks",
    identity(),
    Column("game", String(16), nullable=False),
    Column("pool", Word(Pool, 6), nullable=False),  # of `least` and `most`
    Column("players", Integer, nullable=False),
    Column("options", JSON, nullable=False),
    Column("rounds", Integer),
    Column("rated", Boolean, nullable=False),
    Column("clock", JSON(none_as_null=True)),
    Column("wishes", JsonOf(tuple), nullable=False),  # the options as typed
    Column("usual", Boolean, nullable=False),  # default options, so that the seek may be paired
    Column("pairs", Boolean, nullable=False),  # the maker wants to be paired
    Column("least", Integer),  # lowest and highest rating of players who may join
    Column("most", Integer),
    Column("status", Word(SeekStatus, 10), nullable=False),
    Column("made_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    to("boards", "board_id"),  # the board begun from the seek
    Index("ix_seeks_open", "id", **only_where(text("status = 'open'"))),
    sqlite_autoincrement=True,
    mark=Personal(erasure=_SEEKS_STAY, export=ExportedBy("seeks")),
)


seekers = table(
    "seekers",
    to("seeks", "seek_id", primary_key=True),
    to("players", "player_id", primary_key=True),
    Column("place", Integer, nullable=False),  # 1 is the maker
    Index("ix_seekers_player_id", "player_id", "seek_id"),
    mark=Personal(("player_id",), erasure=_SEEKS_STAY, export=ExportedBy("seeks")),
)


words = table(  # stored for some time, so that they can be reported
    "words",
    identity(),
    to("boards", "board_id", nullable=False, index=True),
    to("players", "player_id", nullable=False, index=True),
    Column("said_at", Moment, nullable=False, index=True),
    Column("lines", JsonOf(tuple), nullable=False),
    sqlite_autoincrement=True,
    mark=Personal(
        ("player_id",),
        export=ExportRows("words", {"board": "board_id", "at": "said_at", "lines": "lines"}),
    ),
)


reports = table(
    "reports",
    identity(),
    to("players", "player_id", nullable=False, index=True),
    to("boards", "board_id", nullable=False),
    Column("reported_at", Moment, nullable=False, index=True),
    Column("lines", JsonOf(tuple), nullable=False),  # of the reporter
    Column("words", JsonOf(tuple), nullable=False),  # of the others: author, time, lines
    sqlite_autoincrement=True,
    mark=Personal(
        ("player_id",),
        export=ExportRows("reports", {"board": "board_id", "at": "reported_at", "lines": "lines"}),
    ),
)
