"""With whom ratings were made

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

All games are counted anew by the program once it runs. What a player's ratings were until then is
kept, so that the player can be told.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
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
    for table in ("results", "ratings"):
        op.add_column(table, sa.Column("met", sa.JSON(none_as_null=True)))
    op.add_column(
        "ratings", sa.Column("wide", sa.Boolean(), nullable=False, server_default=sa.true())
    )
    _keep_what_was_told()
    _let_all_be_counted_anew()


def downgrade() -> None:
    op.drop_column("ratings", "wide")
    for table in ("results", "ratings"):
        op.drop_column(table, "met")
    _let_all_be_counted_anew()


def _keep_what_was_told() -> None:
    connection = op.get_bind()
    told: dict[int, list[tuple[str, str, int]]] = {}
    for game, pool, player_id, mu in connection.execute(
        sa.select(ratings.c.game, ratings.c.pool, ratings.c.player_id, ratings.c.mu)
        .join(players, players.c.id == ratings.c.player_id)
        .where(
            players.c.robot.is_(None),
            players.c.status != "removed",
            players.c.rating_news.is_(None),
        )
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
