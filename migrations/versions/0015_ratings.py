"""Ratings, and which boards count for them

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

Games that were finished before count, too, in the order of their ends: they are put down here, and
counted by the program once it runs. Those that do not count for other reasons are dropped then.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
boards = sa.table(
    "boards",
    *(sa.column(name) for name in ("id", "game", "status")),
    sa.column("options", sa.JSON()),
    sa.column("changed_at", _MOMENT),
)
seats = sa.table("seats", *(sa.column(name) for name in ("board_id", "seat", "name")))
due = sa.table(
    "due",
    *(sa.column(name) for name in ("kind", "about")),
    *(sa.column(name, _MOMENT) for name in ("since", "set_at", "due_at")),
)
facts = sa.table(
    "facts", sa.column("name"), sa.column("value", sa.JSON()), sa.column("noted_at", _MOMENT)
)
rated_boards = sa.table(
    "rated_boards",
    *(sa.column(name) for name in ("board_id", "game", "pool")),
    sa.column("counted_at", _MOMENT),
)


def upgrade() -> None:
    op.add_column(
        "boards", sa.Column("rated", sa.Boolean(), nullable=False, server_default=sa.true())
    )
    op.create_table(
        "rated_boards",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("pool", sa.String(6), nullable=False),
        sa.Column("counted_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rated_boards"),
        sa.UniqueConstraint("board_id", name="uq_rated_boards_board_id"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_rated_boards_board_id_boards"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "results",
        sa.Column("rated_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("pool", sa.String(6), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("mu_before", sa.Float(), nullable=False),
        sa.Column("sigma_before", sa.Float(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("rated_id", "player_id", name="pk_results"),
        sa.ForeignKeyConstraint(
            ["rated_id"], ["rated_boards.id"], name="fk_results_rated_id_rated_boards"
        ),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_results_player_id_players"),
    )
    op.create_index("ix_results_player_id", "results", ["player_id", "game", "pool", "rated_id"])
    op.create_table(
        "ratings",
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("pool", sa.String(6), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("counted_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("game", "pool", "player_id", name="pk_ratings"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_ratings_player_id_players"),
    )
    op.create_index("ix_ratings_mu", "ratings", ["game", "pool", "mu"])
    _put_down_what_was_finished()


def _put_down_what_was_finished() -> None:
    connection = op.get_bind()
    size = sa.select(sa.func.count()).where(seats.c.board_id == boards.c.id).scalar_subquery()
    from_record = sa.exists().where(seats.c.board_id == boards.c.id, seats.c.name.is_not(None))
    finished = connection.execute(
        sa.select(boards.c.id, boards.c.game, boards.c.options, boards.c.changed_at, size)
        .where(boards.c.status == "finished", ~from_record)
        .order_by(boards.c.changed_at, boards.c.id)
    ).all()
    if not finished:
        return
    rows = [
        {"board_id": number, "game": game, "pool": _pool(options, players), "counted_at": ended}
        for number, game, options, ended, players in finished
    ]
    connection.execute(rated_boards.insert(), rows)
    now = datetime.now(UTC)
    stale = {"name": "ratings-stale", "value": 1, "noted_at": now}
    connection.execute(facts.insert().values(**stale))
    at = {"since": now, "set_at": now, "due_at": now}
    connection.execute(due.insert().values(kind="ratings", about="", **at))


def _pool(options: dict[str, object], players: int) -> str:
    if "teams" in options:
        return "teams"
    return "two" if players == 2 else "many"


def downgrade() -> None:
    for table in ("ratings", "results", "rated_boards"):
        op.drop_table(table)
    op.drop_column("boards", "rated")
    op.execute(due.delete().where(due.c.kind == "ratings"))
    op.execute(facts.delete().where(facts.c.name == "ratings-stale"))
