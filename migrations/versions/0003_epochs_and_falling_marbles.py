"""Epochs of questions, and where marbles fell

A question asked before its player's `newkey` proves nothing any more. The cell that a marble
was pushed off is told to the players.

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("questions", sa.Column("epoch", sa.Integer(), server_default="1", nullable=False))
    op.add_column("moves", sa.Column("ejected_from", sa.String(length=2), nullable=True))


def downgrade() -> None:
    op.drop_column("moves", "ejected_from")
    op.drop_column("questions", "epoch")
