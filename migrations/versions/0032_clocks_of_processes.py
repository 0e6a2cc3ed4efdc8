"""How far the clock of a process is ahead of the database's

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("heartbeats", sa.Column("ahead", sa.Float()))


def downgrade() -> None:
    op.drop_column("heartbeats", "ahead")
