"""Places in the order of turns, fair between senders

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

What waits already keeps the order in which it came. A mail that a process of the version before
keeps afterwards has the place 0, and so goes first. What is done needs no lane, which may be an
address.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

IS_NEW = sa.text("status = 'new'")


def upgrade() -> None:
    place = sa.Column("place", sa.Float(), nullable=False, server_default="0")
    known = sa.Column("known", sa.Boolean(), nullable=False, server_default=sa.true())
    for column in (place, known, sa.Column("aside_until", sa.DateTime(timezone=True))):
        op.add_column("inbox", column)
    op.execute(f"UPDATE inbox SET place = {_seconds()} WHERE status IN ('new', 'stuck')")
    op.execute("UPDATE inbox SET lane = NULL WHERE status = 'done' AND lane IS NOT NULL")
    op.drop_index("ix_inbox_lane", "inbox")
    _index("lane", "lane", "place")
    _index("place", "place", "id")


def _seconds() -> str:
    if op.get_bind().dialect.name == "sqlite":
        return "(julianday(received_at) - 2440587.5) * 86400.0"
    return "extract(epoch FROM received_at)"


def _index(name: str, *columns: str) -> None:
    op.create_index(
        f"ix_inbox_{name}", "inbox", columns, sqlite_where=IS_NEW, postgresql_where=IS_NEW
    )


def downgrade() -> None:
    for name in ("place", "lane"):
        op.drop_index(f"ix_inbox_{name}", "inbox")
    _index("lane", "lane", "id")
    for column in ("aside_until", "known", "place"):
        op.drop_column("inbox", column)
