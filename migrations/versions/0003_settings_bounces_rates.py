"""Settings and passwords of players, addresses that bounce, rates

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
    op.add_column("players", sa.Column("settings", sa.JSON(), nullable=True))
    op.add_column("players", sa.Column("password_hash", sa.String(length=200), nullable=True))
    op.add_column(
        "players", sa.Column("bounces", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column(
        "players", sa.Column("bounced_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column(
        "players", sa.Column("unreachable_since", sa.DateTime(timezone=True), nullable=True)
    )
    op.create_table(
        "former_handles",
        sa.Column("handle", sa.String(length=16), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_former_handles_player_id")
        ),
        sa.PrimaryKeyConstraint("handle", name=op.f("pk_former_handles")),
    )
    op.create_table(
        "buckets",
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("tokens", sa.Float(), nullable=False),
        sa.Column("filled_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_buckets")),
    )
    op.create_table(
        "facts",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )


def downgrade() -> None:
    for table in ("facts", "buckets", "former_handles"):
        op.drop_table(table)
    for name in ("unreachable_since", "bounced_at", "bounces", "password_hash", "settings"):
        op.drop_column("players", name)
