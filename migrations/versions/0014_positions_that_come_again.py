"""What stood after each move, and how often it had stood by then

So that a mail can say at once that a draw may be claimed. Of moves played before nobody knows it:
there it is counted from the upgrade on, while `claim` itself plays the whole game through.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("moves", sa.Column("stood", sa.String(16)))
    op.add_column("moves", sa.Column("times", sa.Integer()))
    op.create_index("ix_moves_stood", "moves", ["board_id", "stood", "ply"])


def downgrade() -> None:
    op.drop_index("ix_moves_stood", "moves")
    op.drop_column("moves", "times")
    op.drop_column("moves", "stood")
