"""Clocks that are stopped, and time that is given

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("boards", sa.Column("given", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("boards", sa.Column("stops", sa.JSON()))
    op.add_column("boards", sa.Column("paused_since", sa.DateTime(timezone=True)))


def downgrade() -> None:
    for column in ("paused_since", "stops", "given"):
        op.drop_column("boards", column)
