"""Ratings of games that got somewhere, robots whose strength was measured, and absences

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

All games are counted anew by the program once it runs. What a player's ratings were until then is
kept, so that the player can be told.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
_PLACE = ("game", "pool", "mu", "player_id")
_LISTED = sa.text("people_games >= 10 AND rival_id IS NULL")
players = sa.table(
    "players",
    *(sa.column(name) for name in ("id", "status", "robot")),
    sa.column("rating_news", sa.JSON(none_as_null=True)),
)
ratings = sa.table(
    "ratings", *(sa.column(name) for name in ("game", "pool", "player_id", "mu"))
)
rated_boards = sa.table("rated_boards", sa.column("id"))
facts = sa.table(
    "facts", sa.column("name"), sa.column("value", sa.JSON()), sa.column("noted_at", _MOMENT)
)
due = sa.table(
    "due",
    *(sa.column(name) for name in ("kind", "about")),
    *(sa.column(name, _MOMENT) for name in ("since", "set_at", "due_at")),
)


def upgrade() -> None:
    for name in ("lapsed_at", "spared_at"):
        op.add_column("players", sa.Column(name, _MOMENT))
    op.add_column("players", sa.Column("rating_news", sa.JSON(none_as_null=True)))
    for table in ("results", "ratings"):
        op.add_column(
            table, sa.Column("people_games", sa.Integer(), nullable=False, server_default="0")
        )
        op.add_column(table, sa.Column("rival_id", sa.Integer()))
    op.add_column("results", sa.Column("weight", sa.Float(), nullable=False, server_default="1"))
    op.create_index("ix_rated_boards_counted_at", "rated_boards", ["counted_at", "id"])
    op.drop_index("ix_ratings_place", "ratings")
    op.create_index(
        "ix_ratings_place", "ratings", _PLACE, sqlite_where=_LISTED, postgresql_where=_LISTED
    )
    _keep_what_was_told()
    robots = sa.select(players.c.id).where(players.c.robot.is_not(None))
    op.execute(ratings.delete().where(ratings.c.player_id.in_(robots)))
    _let_all_be_counted_anew()


def downgrade() -> None:
    op.drop_index("ix_ratings_place", "ratings")
    op.drop_index("ix_rated_boards_counted_at", "rated_boards")
    op.drop_column("results", "weight")
    for table in ("results", "ratings"):
        op.drop_column(table, "rival_id")
        op.drop_column(table, "people_games")
    op.create_index("ix_ratings_place", "ratings", _PLACE)
    for name in ("rating_news", "spared_at", "lapsed_at"):
        op.drop_column("players", name)
    _let_all_be_counted_anew()


def _keep_what_was_told() -> None:
    connection = op.get_bind()
    told: dict[int, list[tuple[str, str, int]]] = {}
    for game, pool, player_id, mu in connection.execute(
        sa.select(ratings.c.game, ratings.c.pool, ratings.c.player_id, ratings.c.mu)
        .join(players, players.c.id == ratings.c.player_id)
        .where(players.c.robot.is_(None), players.c.status != "removed")
        .order_by(ratings.c.game, ratings.c.pool)
    ):
        told.setdefault(player_id, []).append((game, pool, round(1500 + 40 * (mu - 25))))
    for player_id, news in told.items():
        connection.execute(
            players.update().where(players.c.id == player_id).values(rating_news=news)
        )


def _let_all_be_counted_anew() -> None:
    connection = op.get_bind()
    if not connection.scalar(sa.select(sa.func.count()).select_from(rated_boards)):
        return
    now = datetime.now(UTC)
    connection.execute(facts.delete().where(facts.c.name == "ratings-stale"))
    connection.execute(facts.insert().values(name="ratings-stale", value=1, noted_at=now))
    connection.execute(due.delete().where(due.c.kind == "ratings", due.c.about == ""))
    moments = {"since": now, "set_at": now, "due_at": now}
    connection.execute(due.insert().values(kind="ratings", about="", **moments))
