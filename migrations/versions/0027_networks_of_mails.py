"""A mail keeps the network that it comes from, also behind a mail server of our own

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

Mails that the version before has kept have none: where our own mail server brought them, no yes
of the last day stands for them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("network", sa.String(64), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("inbox", "network")
