"""The tags of a record, as it had them where it was written

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("boards", sa.Column("tags", sa.JSON(none_as_null=True)))


def downgrade() -> None:
    op.drop_column("boards", "tags")
