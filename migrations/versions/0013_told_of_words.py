"""Whether players were told where their words go, once in a board's life

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    no = {"nullable": False, "server_default": sa.false()}
    op.add_column("seats", sa.Column("told_of_words", sa.Boolean(), **no))


def downgrade() -> None:
    op.drop_column("seats", "told_of_words")
