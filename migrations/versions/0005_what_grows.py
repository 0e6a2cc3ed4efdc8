"""Indexes for what a player or a mail asks of tables that only grow

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_seats_player_id_playing", table_name="seats")
    op.create_index("ix_seats_of_player", "seats", ["player_id", "playing", "board_id"])
    op.create_index("ix_outbox_player_id", "outbox", ["player_id"])
    op.create_index("ix_inbox_sender", "inbox", [sa.text("lower(sender)")])
    op.create_index("ix_former_handles_player_id", "former_handles", ["player_id"])
    op.create_index("ix_buckets_filled_at", "buckets", ["filled_at"])


def downgrade() -> None:
    op.drop_index("ix_buckets_filled_at", table_name="buckets")
    op.drop_index("ix_former_handles_player_id", table_name="former_handles")
    op.drop_index("ix_inbox_sender", table_name="inbox")
    op.drop_index("ix_outbox_player_id", table_name="outbox")
    op.drop_index("ix_seats_of_player", table_name="seats")
    op.create_index("ix_seats_player_id_playing", "seats", ["player_id", "playing"])
