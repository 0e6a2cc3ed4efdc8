"""How long a player's clock has stood still on a board as mail came back, and where vacations began

What has been given back in the wait that goes on counts; earlier waits are not known any more.
"""

import json
from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    stopped = sa.Column("stopped", sa.Integer(), nullable=False, server_default="0")
    op.add_column("seats", stopped)
    op.add_column("vacations", sa.Column("zone", sa.String(64)))
    connection = op.get_bind()
    waiting = "SELECT id, to_move_id, stops FROM boards WHERE stops IS NOT NULL AND to_move_id > 0"
    of_player = sa.text(
        "UPDATE seats SET stopped = :seconds WHERE board_id = :board AND seat ="
        " (SELECT min(seat) FROM seats WHERE board_id = :board AND player_id = :player)"
    )
    for board, player, kept in connection.execute(sa.text(waiting)).all():
        stops = json.loads(kept) if isinstance(kept, str) else kept
        lengths = (
            datetime.fromisoformat(end) - datetime.fromisoformat(begin)
            for begin, end, bounced in stops
            if bounced
        )
        seconds = sum(int(length.total_seconds()) for length in lengths)
        if seconds:
            connection.execute(of_player, {"seconds": seconds, "board": board, "player": player})


def downgrade() -> None:
    op.drop_column("vacations", "zone")
    op.drop_column("seats", "stopped")
