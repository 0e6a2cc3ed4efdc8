"""An index of words that are held back, by which old ones are found

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_HELD = sa.text("status = 'unsent'")


def upgrade() -> None:
    op.create_index(
        "ix_errands_unsent",
        "errands",
        ["asked_at"],
        sqlite_where=_HELD,
        postgresql_where=_HELD,
    )


def downgrade() -> None:
    op.drop_index("ix_errands_unsent", "errands")
