"""What mails hold stands in tables of its own, so that a mail that is done leaves no hole

A row that was written with a mail in it, and emptied later, left a page of SQLite's nearly empty for ever. The
program before this one cannot keep mails any more: stop its processes first.

What is empty in an old file stays so until somebody runs VACUUM, or restores a backup.
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inbox_raw",
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name="fk_inbox_raw_inbox_id"),
        sa.PrimaryKeyConstraint("inbox_id", name="pk_inbox_raw"),
    )
    op.create_table(
        "outbox_contents",
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("headers", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name="pk_outbox_contents"),
    )
    op.add_column("inbox", sa.Column("size", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE inbox SET size = length(raw) WHERE raw IS NOT NULL")
    op.execute(
        "INSERT INTO inbox_raw (inbox_id, raw) SELECT id, raw FROM inbox WHERE raw IS NOT NULL"
    )
    # A JSON null is what an erased mail has on some databases.
    empty = "params IS NULL OR CAST(params AS TEXT) = 'null'"
    op.execute(
        "INSERT INTO outbox_contents (message_id, params, headers)"
        f" SELECT message_id, params, headers FROM outbox WHERE NOT ({empty})"
    )
    op.drop_column("inbox", "raw")
    op.drop_column("outbox", "params")
    op.drop_column("outbox", "headers")


def downgrade() -> None:
    op.add_column("inbox", sa.Column("raw", sa.LargeBinary()))
    op.add_column("outbox", sa.Column("params", sa.JSON()))
    op.add_column("outbox", sa.Column("headers", sa.JSON()))
    op.execute(
        "UPDATE inbox SET raw ="
        " (SELECT inbox_raw.raw FROM inbox_raw WHERE inbox_raw.inbox_id = inbox.id)"
    )
    for column in ("params", "headers"):
        op.execute(
            f"UPDATE outbox SET {column} = (SELECT held.{column} FROM outbox_contents AS held"
            " WHERE held.message_id = outbox.message_id)"
        )
    op.drop_table("outbox_contents")
    op.drop_table("inbox_raw")
    op.drop_column("inbox", "size")
