"""Keep what each move took of its mover's time, so that a take-back can give it back

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("spent", "banked"):
        op.add_column("moves", sa.Column(name, sa.Integer()))


def downgrade() -> None:
    with op.batch_alter_table("moves") as moves:
        for name in ("spent", "banked"):
            moves.drop_column(name)
