"""Robots: which players are, and what they are to think about

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("robot", sa.String(16), nullable=True))
    op.create_table(
        "thoughts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("about", sa.String(80), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=True),
        sa.Column("place", sa.Float(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("leased_by", sa.String(32), nullable=True),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("stuck", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_thoughts"),
        sa.UniqueConstraint("kind", "about", name="uq_thoughts_kind_about"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_thoughts_board_id_boards"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_thoughts_player_id_players"),
    )
    op.create_index("ix_thoughts_place", "thoughts", ["place", "id"])
    op.create_index("ix_thoughts_player_id", "thoughts", ["player_id", "place"])
    op.create_index("ix_thoughts_board_id", "thoughts", ["board_id"])


def downgrade() -> None:
    op.drop_table("thoughts")
    op.drop_column("players", "robot")
