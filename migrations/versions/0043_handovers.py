"""Seats that change hands

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "handovers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("after_ply", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("behind", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_handovers"),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_handovers_board_id_boards"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_handovers_player_id_players"
        ),
    )
    op.create_index("ix_handovers_board_id", "handovers", ["board_id", "seat"])
    op.create_index("ix_handovers_player_id", "handovers", ["player_id", "board_id"])
    taken = sa.Column("taken_over", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("seats", taken)


def downgrade() -> None:
    op.drop_column("seats", "taken_over")
    op.drop_index("ix_handovers_player_id", "handovers")
    op.drop_index("ix_handovers_board_id", "handovers")
    op.drop_table("handovers")
