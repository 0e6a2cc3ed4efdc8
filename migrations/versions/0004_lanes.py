"""Lanes of incoming mail: what must stay in order though several processes obey it

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("lane", sa.String(length=254), nullable=True))
    op.add_column("inbox", sa.Column("board_lane", sa.Integer(), nullable=True))
    for column in ("lane", "board_lane"):
        op.create_index(
            f"ix_inbox_{column}",
            "inbox",
            [column, "id"],
            sqlite_where=sa.text("status = 'new'"),
            postgresql_where=sa.text("status = 'new'"),
        )


def downgrade() -> None:
    for column in ("board_lane", "lane"):
        op.drop_index(f"ix_inbox_{column}", table_name="inbox")
        op.drop_column("inbox", column)
