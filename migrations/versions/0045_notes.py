"""Notes that players keep about boards, and boards whose words they do not want

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notes",
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("board_id", "player_id", name="pk_notes"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_notes_board_id_boards"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_notes_player_id_players"),
    )
    op.create_index("ix_notes_player_id", "notes", ["player_id"])
    muted = sa.Column("muted", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("readers", muted)


def downgrade() -> None:
    op.drop_column("readers", "muted")
    op.drop_index("ix_notes_player_id", "notes")
    op.drop_table("notes")
