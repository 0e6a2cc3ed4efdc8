"""A mail that goes out outlives the mail that caused it, which is deleted a month after it was done

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

REFERENCE = "CONSTRAINT fk_outbox_inbox_id FOREIGN KEY(inbox_id) REFERENCES inbox (id), "
BEFORE = "CONSTRAINT fk_outbox_player_id"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _reword(REFERENCE, "")
    else:
        op.drop_constraint("fk_outbox_inbox_id", "outbox", type_="foreignkey")


def downgrade() -> None:
    gone = "inbox_id IS NOT NULL AND inbox_id NOT IN (SELECT id FROM inbox)"
    op.execute(f"UPDATE outbox SET inbox_id = NULL WHERE {gone}")
    if op.get_bind().dialect.name == "sqlite":
        _reword(BEFORE, REFERENCE + BEFORE)
    else:
        op.create_foreign_key("fk_outbox_inbox_id", "outbox", "inbox", ["inbox_id"], ["id"])


def _reword(old: str, new: str) -> None:
    """Change a constraint of the table where SQLite keeps its text, which copies no rows.

    https://www.sqlite.org/lang_altertable.html, section 7, has it for constraints.
    """
    connection = op.get_bind()
    told = "SELECT replace(replace(sql, char(10), ''), char(9), '') FROM sqlite_master WHERE name = 'outbox'"
    version = connection.execute(sa.text("PRAGMA schema_version")).scalar_one()
    connection.execute(sa.text("PRAGMA writable_schema=ON"))
    text = connection.execute(sa.text(told)).scalar_one()
    assert text.count(old) == 1
    connection.execute(
        sa.text("UPDATE sqlite_master SET sql = :text WHERE type = 'table' AND name = 'outbox'"),
        {"text": text.replace(old, new)},
    )
    connection.execute(sa.text(f"PRAGMA schema_version={version + 1}"))
    connection.execute(sa.text("PRAGMA writable_schema=OFF"))
