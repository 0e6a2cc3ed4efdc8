"""Answers to strangers that were counted at the door; who began a board, and who has answered there

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

Of boards that are there already nobody knows who began them; most often it was the player at
seat 1. Who has moved on them has answered.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

UNANSWERED = {
    "sqlite_where": sa.text("playing = 1 AND answered = 0"),
    "postgresql_where": sa.text("playing AND NOT answered"),
}
BEGUN = sa.text("begun_by_id IS NOT NULL")

boards = sa.table("boards", sa.column("id"), sa.column("begun_by_id"), sa.column("round"))
seats = sa.table(
    "seats",
    *(sa.column(name) for name in ("board_id", "seat", "player_id", "last_ply", "name")),
    sa.column("answered", sa.Boolean()),
)


def upgrade() -> None:
    no = {"nullable": False, "server_default": sa.false()}
    op.add_column("inbox", sa.Column("answer_counted", sa.Boolean(), **no))
    op.add_column("boards", sa.Column("begun_by_id", sa.Integer()))
    op.add_column("seats", sa.Column("answered", sa.Boolean(), **no))
    op.execute(seats.update().where(seats.c.last_ply > 0).values(answered=True))
    first = (
        sa.select(seats.c.player_id)
        .where(seats.c.board_id == boards.c.id, seats.c.seat == 1, seats.c.name.is_(None))
        .scalar_subquery()
    )
    later = sa.func.coalesce(boards.c.round, 1) > 1
    op.execute(boards.update().where(~later).values(begun_by_id=first))
    op.create_index("ix_seats_unanswered", "seats", ["player_id", "board_id"], **UNANSWERED)
    op.create_index(
        "ix_boards_begun_by_id",
        "boards",
        ["begun_by_id"],
        sqlite_where=BEGUN,
        postgresql_where=BEGUN,
    )


def downgrade() -> None:
    op.drop_index("ix_boards_begun_by_id", table_name="boards")
    op.drop_index("ix_seats_unanswered", table_name="seats")
    op.drop_column("seats", "answered")
    op.drop_column("boards", "begun_by_id")
    op.drop_column("inbox", "answer_counted")
