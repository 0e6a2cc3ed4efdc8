"""Consents: the yes of a player that stands for a day, so far an empty bucket of a rate

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_MOVED = """
INSERT INTO consents (player_id, origin, epoch, given_at)
SELECT players.id, substr(buckets.key, length(buckets.key) - 31), players.epoch, buckets.filled_at
FROM buckets JOIN players ON buckets.key = 'yes-stands:' || players.id || ':' || players.epoch
    || ':' || substr(buckets.key, length(buckets.key) - 31)
WHERE buckets.key LIKE 'yes-stands:%' AND buckets.tokens < 1
"""


def upgrade() -> None:
    op.create_table(
        "consents",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(32), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "origin", name="pk_consents"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_consents_player_id_players"),
    )
    op.create_index("ix_consents_given_at", "consents", ["given_at"])
    op.execute(_MOVED)


def downgrade() -> None:
    op.drop_table("consents")
