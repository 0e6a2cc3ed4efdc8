"""Seeks: games that wait for players

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
due = sa.table("due", sa.column("kind"))


def upgrade() -> None:
    op.create_table(
        "seeks",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("pool", sa.String(6), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("rounds", sa.Integer()),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("clock", sa.JSON()),
        sa.Column("wishes", sa.JSON(), nullable=False),
        sa.Column("usual", sa.Boolean(), nullable=False),
        sa.Column("pairs", sa.Boolean(), nullable=False),
        sa.Column("least", sa.Integer()),
        sa.Column("most", sa.Integer()),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("made_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("board_id", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name="pk_seeks"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_seeks_board_id_boards"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_seeks_open",
        "seeks",
        ["id"],
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_table(
        "seekers",
        sa.Column("seek_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("seek_id", "player_id", name="pk_seekers"),
        sa.ForeignKeyConstraint(["seek_id"], ["seeks.id"], name="fk_seekers_seek_id_seeks"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_seekers_player_id_players"),
    )
    op.create_index("ix_seekers_player_id", "seekers", ["player_id", "seek_id"])


def downgrade() -> None:
    for table in ("seekers", "seeks"):
        op.drop_table(table)
    op.execute(due.delete().where(due.c.kind == "seek-lapse"))
