"""Tables of ratings."""

from sqlalchemy import Column, Float, Index, Integer, String, Table, text

from pbm.store.schema.columns import Moment, identity, metadata, to
from pbm.store.schema.personal import IMPERSONAL, ExportRows, KeepRows, personal

rated_boards = Table(
    "rated_boards",
    metadata,
    identity(),  # in the order of counting
    to("boards", "board_id", nullable=False, unique=True),
    Column("game", String(16), nullable=False),
    Column("pool", String(6), nullable=False),  # two, many, teams
    Column("counted_at", Moment, nullable=False),
    Index("ix_rated_boards_counted_at", "counted_at", "id"),
    sqlite_autoincrement=True,
    info=IMPERSONAL,
)


results = Table(
    "results",
    metadata,
    to("rated_boards", "rated_id", primary_key=True),
    to("players", "player_id", primary_key=True),
    Column("game", String(16), nullable=False),
    Column("pool", String(6), nullable=False),
    Column("place", Integer, nullable=False),
    Column("mu_before", Float, nullable=False),
    Column("sigma_before", Float, nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),  # rated games so far, including this one
    Column("people_games", Integer, nullable=False, server_default="0"),  # not only against robots
    Column("rival_id", Integer),  # the only person among the opponents in these
    Column("weight", Float, nullable=False, server_default="1"),  # 0 for an unchanged rating
    Index("ix_results_player_id", "player_id", "game", "pool", "rated_id"),
    info=personal(
        "player_id",
        erasure=KeepRows("ratings of the others are counted from it"),
        export=ExportRows(
            "rated_games", {"game": "game", "pool": "pool", "mu": "mu", "sigma": "sigma"}
        ),
    ),
)


# In the standings: ten games, against two different people or more.
LISTED = text("people_games >= 10 AND rival_id IS NULL")

ratings = Table(  # the last result of each player
    "ratings",
    metadata,
    Column("game", String(16), primary_key=True),
    Column("pool", String(6), primary_key=True),
    to("players", "player_id", primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("counted_at", Moment, nullable=False),
    Column("people_games", Integer, nullable=False, server_default="0"),
    Column("rival_id", Integer),
    Index(
        *("ix_ratings_place", "game", "pool", "mu", "player_id"),
        sqlite_where=LISTED,
        postgresql_where=LISTED,
    ),
    Index("ix_ratings_player_id", "player_id"),
    info=personal(
        "player_id",
        export=ExportRows(
            "ratings",
            {"game": "game", "pool": "pool", "mu": "mu", "sigma": "sigma", "games": "games"},
        ),
    ),
)
