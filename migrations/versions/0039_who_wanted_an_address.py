"""Who wanted an address

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

The question to an address that is not confirmed names the player who wants it in a column, so that
it is found when the player is erased.
"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

WANTED = sa.text("wanted_by_id IS NOT NULL")
questions = sa.table(
    "questions",
    *(sa.column(name) for name in ("kind", "wanted_by_id")),
    sa.column("params", sa.JSON()),
)


def upgrade() -> None:
    op.add_column("questions", sa.Column("wanted_by_id", sa.Integer()))
    by = questions.c.params["player"].as_integer()
    op.execute(questions.update().where(questions.c.kind == "address").values(wanted_by_id=by))
    op.create_index(
        "ix_questions_wanted_by_id",
        "questions",
        ["wanted_by_id"],
        sqlite_where=WANTED,
        postgresql_where=WANTED,
    )


def downgrade() -> None:
    op.drop_index("ix_questions_wanted_by_id", "questions")
    op.drop_column("questions", "wanted_by_id")
