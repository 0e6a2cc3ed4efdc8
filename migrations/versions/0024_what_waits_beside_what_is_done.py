"""What waits is found beside any number of rows that are done, and PostgreSQL tidies up in time

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

The version before finds no mail by these indexes: beside many mails that are done it is slow, until
its last process has ended.
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

WAITING = (
    ("inbox", "new", "lane", ("lane", "place")),
    ("inbox", "new", "board_lane", ("board_lane", "id")),
    ("inbox", "new", "place", ("place", "id")),
    ("outbox", "due", "due", ("due_at", "id")),
    ("outbox", "due", "order", ("recipient_key", "thread", "id")),
)
BY_NUMBER = (("inbox", "new"), ("outbox", "due"))
# Where millions of rows are done, a fifth of them is too many to wait for before tidying up.
TIDIED_AT = 0.02
GROWING = ("inbox", "outbox", "moves", "boards", "seats")
TIDYING = {
    f"autovacuum_{what}_scale_factor": TIDIED_AT for what in ("vacuum", "vacuum_insert", "analyze")
}
# Each move changes a seat, and no index of it where its page has room for another version.
STORED = {**dict.fromkeys(GROWING, TIDYING), "seats": {**TIDYING, "fillfactor": 90}}


def upgrade() -> None:
    for table, word in BY_NUMBER:
        op.drop_index(f"ix_{table}_waiting", table)
    if op.get_bind().dialect.name == "postgresql":
        for table, word, name, columns in WAITING:
            _index_anew(table, name, columns, f"status = '{word}' AND {columns[0]} IS NOT NULL")
        for table, settings in STORED.items():
            chosen = ", ".join(f"{name} = {value}" for name, value in settings.items())
            op.execute(f"ALTER TABLE {table} SET ({chosen})")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, word, name, columns in WAITING:
            _index_anew(table, name, columns, f"status = '{word}'")
        for table, settings in STORED.items():
            op.execute(f"ALTER TABLE {table} RESET ({', '.join(settings)})")
    for table, word in BY_NUMBER:
        waits = sa.text(f"status = '{word}'")
        op.create_index(
            f"ix_{table}_waiting", table, ["id"], sqlite_where=waits, postgresql_where=waits
        )


def _index_anew(table: str, name: str, columns: tuple[str, ...], where: str) -> None:
    op.drop_index(f"ix_{table}_{name}", table)
    op.create_index(f"ix_{table}_{name}", table, columns, postgresql_where=sa.text(where))
