"""Watchers of boards and of players, and boards that nobody else sees

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    private = sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("boards", private)
    op.create_table(
        "watchings",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("watcher_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=True),
        sa.Column("followed_id", sa.Integer(), nullable=True),
        sa.Column("how", sa.String(length=6), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("over", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name="pk_watchings"),
        *(
            sa.ForeignKeyConstraint([column], [f"{table}.id"], name=f"fk_watchings_{column}_{table}")
            for column, table in (
                ("watcher_id", "players"),
                ("board_id", "boards"),
                ("followed_id", "players"),
            )
        ),
    )
    for column in ("board_id", "followed_id"):
        name = f"ix_watchings_{column}"
        op.create_index(name, "watchings", [column, "watcher_id"], unique=True)
    at_once = sa.text("how <> 'daily'")
    for column in ("board", "followed"):
        name, where = f"ix_watchings_{column}_at_once", f"{column}_id"
        options = {"sqlite_where": at_once, "postgresql_where": at_once}
        op.create_index(name, "watchings", [where], **options)
    op.create_index("ix_watchings_watcher_id", "watchings", ["watcher_id"])
    op.create_table(
        "watched",
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("watcher_id", sa.Integer(), nullable=False),
        sa.Column("seen", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("board_id", "watcher_id", name="pk_watched"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_watched_board_id_boards"),
        sa.ForeignKeyConstraint(["watcher_id"], ["players.id"], name="fk_watched_watcher_id_players"),
    )
    op.create_index("ix_watched_watcher_id", "watched", ["watcher_id"])


def downgrade() -> None:
    op.drop_table("watched")
    op.drop_table("watchings")
    op.drop_column("boards", "private")
