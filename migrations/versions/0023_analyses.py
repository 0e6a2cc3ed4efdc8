"""Analyses of games that are over, and who waits for them

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "analyses",
        sa.Column("board_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("mark", sa.String(24), nullable=False),
        sa.Column("found", sa.JSON(), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("board_id", name="pk_analyses"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_analyses_board_id_boards"),
    )
    op.create_table(
        "analysis_readers",
        sa.Column("board_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("board_id", "player_id", name="pk_analysis_readers"),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name="fk_analysis_readers_board_id_boards"
        ),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_analysis_readers_player_id_players"
        ),
    )
    op.create_index("ix_analysis_readers_player_id", "analysis_readers", ["player_id"])


def downgrade() -> None:
    op.drop_table("analysis_readers")
    op.drop_table("analyses")
