"""Plans: moves that are played once others have moved

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "plans",
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("taken_back", sa.Integer(), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("board_id", "player_id", name="pk_plans"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_plans_board_id_boards"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_plans_player_id_players"),
    )
    op.create_index("ix_plans_player_id", "plans", ["player_id"])
    planned = sa.Column("planned", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("moves", planned)


def downgrade() -> None:
    op.drop_column("moves", "planned")
    op.drop_index("ix_plans_player_id", "plans")
    op.drop_table("plans")
