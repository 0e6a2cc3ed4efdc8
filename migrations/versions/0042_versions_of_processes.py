"""Versions of processes: each heartbeat says which program and which tables its process has

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, length in (("program", 80), ("tables", 20)):
        column = sa.Column(name, sa.String(length), nullable=False, server_default="")
        op.add_column("heartbeats", column)


def downgrade() -> None:
    op.drop_column("heartbeats", "tables")
    op.drop_column("heartbeats", "program")
