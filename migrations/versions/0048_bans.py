"""Whom the operator has banned

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bans",
        sa.Column("what", sa.String(254), nullable=False),
        sa.Column("player_id", sa.Integer()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.String(80), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_bans_player_id"),
        sa.PrimaryKeyConstraint("what", name="pk_bans"),
    )
    op.create_index("ix_bans_player_id", "bans", ["player_id"])


def downgrade() -> None:
    op.drop_table("bans")
