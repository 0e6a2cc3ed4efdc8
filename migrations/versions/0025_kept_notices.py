"""News of no board, such as of a seek, that wait for a digest

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "kept_notices",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_kept_notices"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_kept_notices_player_id_players"
        ),
    )
    op.create_index("ix_kept_notices_player_id", "kept_notices", ["player_id"])


def downgrade() -> None:
    op.drop_table("kept_notices")
