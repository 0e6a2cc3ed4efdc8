"""Tables of players, addresses, vacations and blocks."""

from sqlalchemy import JSON, Column, Date, Index, Integer, String

from pbm.passwords import PasswordHash
from pbm.store.schema.columns import Moment, Word, identity, to
from pbm.store.schema.personal import (
    BlankColumns,
    ExportedBy,
    ExportRows,
    KeepRows,
    Personal,
    table,
)
from pbm.store.values.players import PlayerStatus

_BLANKED = ("settings", "password_hash", "rating_news", "bounced_at", "unreachable_since")

players = table(
    "players",
    identity(),
    Column("handle", String(16), nullable=False, unique=True),
    Column("status", Word(PlayerStatus, 10), nullable=False),
    Column("epoch", Integer, nullable=False),  # newkey raises it: older tags are void
    Column("joined_at", Moment, nullable=False),
    Column("settings", JSON(none_as_null=True)),  # non-default ones
    Column("password_hash", Word(PasswordHash.read, 200)),
    Column("bounces", Integer, nullable=False, server_default="0"),  # consecutive soft bounces
    Column("bounced_at", Moment),
    Column("unreachable_since", Moment),  # null while mail arrives
    Column("absent_since", Moment),  # time of a reminder; null again with the player's next mail
    Column("lapsed_at", Moment),  # last forfeit of that absence that cost rating
    Column("spared_at", Moment),  # start of the last absence in which a forfeit cost none
    Column("rating_news", JSON(none_as_null=True)),  # ratings before a change of the rules
    Column("robot", String(16)),  # its name among robots; null for people
    sqlite_autoincrement=True,
    mark=Personal(
        ("id",),
        erasure=BlankColumns({**dict.fromkeys(_BLANKED), "bounces": 0}),
        export=ExportedBy("handle"),
    ),
)


former_handles = table(
    "former_handles",
    Column("handle", String(16), primary_key=True),
    to("players", "player_id", nullable=False, index=True),
    mark=Personal(
        ("player_id",),
        erasure=KeepRows("nobody else may pose under one"),
        export=ExportRows("former_handles", "handle"),
    ),
)


addresses = table(
    "addresses",
    identity(),
    to("players", "player_id", nullable=False, index=True),
    Column("address", String(254), nullable=False),
    Column("address_key", String(254), nullable=False, unique=True),
    Column("verified_at", Moment, nullable=False),
    mark=Personal(
        ("player_id",), export=ExportRows("addresses", "address"), addresses=("address_key",)
    ),
)


vacations = table(
    "vacations",
    identity(),
    to("players", "player_id", nullable=False),
    to("boards", "board_id"),  # null for all of the player's boards
    Column("first_day", Date, nullable=False),  # both in the player's time zone
    Column("last_day", Date, nullable=False),
    Column("zone", String(64)),  # the player's time zone at the start, if it was changed since
    Index("ix_vacations_player_id", "player_id", "last_day"),
    mark=Personal(
        ("player_id",),
        export=ExportRows(
            "vacations", {"board": "board_id", "first": "first_day", "last": "last_day"}
        ),
    ),
)


blocks = table(
    "blocks",
    to("players", "player_id", primary_key=True),
    to("players", "blocked_id", primary_key=True, index=True),
    Column("blocked_at", Moment, nullable=False),
    mark=Personal(("player_id", "blocked_id"), export=ExportRows("blocked", "blocked_id")),
)
