"""Blank the journal's details about players who have left: addresses of theirs, for one

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

changes = sa.table("changes", sa.column("player_id"), sa.column("details", sa.JSON()))
players = sa.table("players", *map(sa.column, ("id", "status")))


def upgrade() -> None:
    left = sa.select(players.c.id).where(players.c.status == "removed")
    op.execute(sa.update(changes).where(changes.c.player_id.in_(left)).values(details={}))


def downgrade() -> None:
    """What is blank stays so."""
