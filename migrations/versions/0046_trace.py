"""What `pbm-admin trace` tells: the Message-ID of a mail, whose it was taken for, the next reply

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("message_id", sa.String(420)))
    op.add_column("inbox", sa.Column("taken", sa.Text()))
    op.add_column("outbox", sa.Column("reply", sa.Text()))


def downgrade() -> None:
    op.drop_column("outbox", "reply")
    op.drop_column("inbox", "taken")
    op.drop_column("inbox", "message_id")
