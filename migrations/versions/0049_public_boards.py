"""An index of the boards that public pages list

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_boards_listed",
        "boards",
        ["status", "id"],
        sqlite_where=sa.text("private = 0"),
        postgresql_where=sa.text("NOT private"),
    )


def downgrade() -> None:
    op.drop_index("ix_boards_listed", table_name="boards")
