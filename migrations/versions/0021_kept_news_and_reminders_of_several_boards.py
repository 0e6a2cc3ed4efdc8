"""News kept for digests, and reminders of several boards

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "kept_news",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("after_ply", sa.Integer(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_kept_news"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_kept_news_player_id_players"
        ),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_kept_news_board_id_boards"),
    )
    op.create_index("ix_kept_news_player_id", "kept_news", ["player_id", "board_id"])
    op.create_table(
        "reminded_boards",
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("outbox_id", "board_id", name="pk_reminded_boards"),
        sa.ForeignKeyConstraint(
            ["outbox_id"], ["outbox.id"], name="fk_reminded_boards_outbox_id_outbox"
        ),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name="fk_reminded_boards_board_id_boards"
        ),
    )


def downgrade() -> None:
    op.drop_table("reminded_boards")
    op.drop_table("kept_news")
