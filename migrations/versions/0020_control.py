"""Blocks, challenges that wait, and words that can be reported

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "blocks",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("blocked_id", sa.Integer(), nullable=False),
        sa.Column("blocked_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "blocked_id", name="pk_blocks"),
        _to("players", "player_id", "blocks"),
        _to("players", "blocked_id", "blocks"),
    )
    op.create_table(
        "challenges",
        _id(),
        sa.Column("by_id", sa.Integer(), nullable=False),
        sa.Column("setup", sa.JSON(), nullable=False),
        sa.Column("comment", sa.JSON(), nullable=False),
        sa.Column("first_unsaid", sa.Boolean(), nullable=False),
        sa.Column("asked_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_challenges"),
        _to("players", "by_id", "challenges"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "challenged",
        sa.Column("challenge_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Boolean(), nullable=False),
        sa.Column("waits", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("challenge_id", "seat", name="pk_challenged"),
        _to("challenges", "challenge_id", "challenged"),
        _to("players", "player_id", "challenged"),
    )
    op.create_table(
        "words",
        _id(),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("said_at", _MOMENT, nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_words"),
        _to("boards", "board_id", "words"),
        _to("players", "player_id", "words"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "reports",
        _id(),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("reported_at", _MOMENT, nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
        _to("players", "player_id", "reports"),
        _to("boards", "board_id", "reports"),
        sqlite_autoincrement=True,
    )
    for table, column in (
        ("blocks", "blocked_id"),
        ("challenges", "by_id"),
        ("words", "board_id"),
        ("words", "player_id"),
        ("words", "said_at"),
        ("reports", "player_id"),
        ("reports", "reported_at"),
    ):
        op.create_index(f"ix_{table}_{column}", table, [column])
    op.create_index("ix_challenged_player_id", "challenged", ["player_id", "challenge_id"])


def downgrade() -> None:
    for table in ("reports", "words", "challenged", "challenges", "blocks"):
        op.drop_table(table)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), autoincrement=True, nullable=False)


def _to(target: str, column: str, table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=f"fk_{table}_{column}_{target}")
