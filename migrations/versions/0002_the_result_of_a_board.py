"""The result of a board

So far it stood in the state line alone, which says what the rules make of a position. A
result may also be decided by word, so it gets a column of its own.

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import re

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_WON = re.compile(r"(?:^|;)won=([1-6](?:\+[1-6])*)$", re.ASCII)


def upgrade() -> None:
    op.add_column("boards", sa.Column("winners", sa.JSON(), nullable=True))
    boards = sa.table(
        "boards",
        sa.column("id", sa.Integer),
        sa.column("status", sa.String),
        sa.column("state", sa.Text),
        sa.column("winners", sa.JSON),
    )
    connection = op.get_bind()
    finished = sa.select(boards.c.id, boards.c.state).where(boards.c.status == "finished")
    for board_id, state in connection.execute(finished).all():
        won = _WON.search(state.rpartition(" ")[2])
        winners = [int(seat) for seat in won[1].split("+")] if won else []
        connection.execute(
            sa.update(boards).where(boards.c.id == board_id).values(winners=winners)
        )


def downgrade() -> None:
    op.drop_column("boards", "winners")
