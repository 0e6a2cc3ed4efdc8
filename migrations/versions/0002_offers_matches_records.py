"""Offers, take-backs, matches, rematches and records

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("boards", sa.Column("offers", sa.JSON(), nullable=True))
    op.add_column(
        "boards", sa.Column("taken_back", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column("boards", sa.Column("match_id", sa.Integer(), nullable=True))
    op.add_column("boards", sa.Column("round", sa.Integer(), nullable=True))
    op.add_column("boards", sa.Column("rounds", sa.Integer(), nullable=True))
    op.add_column("boards", sa.Column("rematch_of", sa.Integer(), nullable=True))
    op.add_column("seats", sa.Column("name", sa.String(length=40), nullable=True))
    op.create_index(
        "ix_boards_match_id",
        "boards",
        ["match_id"],
        sqlite_where=sa.text("match_id IS NOT NULL"),
        postgresql_where=sa.text("match_id IS NOT NULL"),
    )
    op.create_index(
        "ix_boards_rematch_of",
        "boards",
        ["rematch_of"],
        sqlite_where=sa.text("rematch_of IS NOT NULL"),
        postgresql_where=sa.text("rematch_of IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_boards_rematch_of", table_name="boards")
    op.drop_index("ix_boards_match_id", table_name="boards")
    op.drop_column("seats", "name")
    for name in ("rematch_of", "rounds", "round", "match_id", "taken_back", "offers"):
        op.drop_column("boards", name)
