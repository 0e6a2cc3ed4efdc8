"""Who lets several boards run out in one absence

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


def downgrade() -> None:
    op.drop_column("departures", "spared")
    op.drop_column("players", "absent_since")
