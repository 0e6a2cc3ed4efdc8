"""Who lets several boards run out in one absence, and standings by an index

Only the first of them costs rating. What ran out before counts as it did.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("absent_since", sa.DateTime(timezone=True)))
    op.add_column(
        "departures",
        sa.Column("spared", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.drop_index("ix_ratings_mu", "ratings")
    op.create_index("ix_ratings_place", "ratings", ["game", "pool", "mu", "player_id"])
    op.create_index("ix_ratings_player_id", "ratings", ["player_id"])


def downgrade() -> None:
    op.drop_index("ix_ratings_player_id", "ratings")
    op.drop_index("ix_ratings_place", "ratings")
    op.create_index("ix_ratings_mu", "ratings", ["game", "pool", "mu"])
    op.drop_column("departures", "spared")
    op.drop_column("players", "absent_since")
