"""Clocks and vacations

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

On boards that are being played the clock of whoever is to move begins now, by the usual terms;
the time for a first move goes on.
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

FIRST_LOOK = timedelta(days=3)

_MOMENT = sa.DateTime(timezone=True)
FIRST_MOVES = {"first-move-reminder": timedelta(), "first-move-decline": timedelta(days=2)}
boards = sa.table(
    "boards",
    *(sa.column(name) for name in ("id", "status", "to_move_id", "taken_back")),
    sa.column("waits_since", _MOMENT),
)
seats = sa.table("seats", *(sa.column(name) for name in ("board_id", "player_id", "last_ply")))
due = sa.table(
    "due",
    *(sa.column(name) for name in ("kind", "about", "board_id", "player_id")),
    *(sa.column(name, _MOMENT) for name in ("since", "set_at", "due_at")),
)


def upgrade() -> None:
    op.add_column("boards", sa.Column("clock", sa.JSON()))
    op.add_column("boards", sa.Column("waits_since", _MOMENT))
    op.add_column(
        "boards", sa.Column("reminded", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column("seats", sa.Column("used", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("seats", sa.Column("banked", sa.Integer()))
    op.create_table(
        "vacations",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer()),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_vacations"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name="fk_vacations_player_id_players"
        ),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name="fk_vacations_board_id_boards"),
    )
    op.create_index("ix_vacations_player_id", "vacations", ["player_id", "last_day"])
    now = datetime.now(UTC)
    op.execute(boards.update().where(boards.c.status == "playing").values(waits_since=now))
    for number, since in _first_moves():
        op.execute(boards.update().where(boards.c.id == number).values(waits_since=since))
    moments = (sa.literal(moment, _MOMENT) for moment in (now, now, now + FIRST_LOOK))
    playing = sa.select(
        sa.literal("clock"), sa.cast(boards.c.id, sa.String()), boards.c.id, *moments
    ).where(boards.c.status == "playing")
    columns = ["kind", "about", "board_id", "since", "set_at", "due_at"]
    op.execute(due.insert().from_select(columns, playing))


def _first_moves() -> list[tuple[int, datetime]]:
    """The boards that wait for a first move, and since when they do so."""
    has_moved = sa.exists().where(
        seats.c.board_id == boards.c.id,
        seats.c.player_id == boards.c.to_move_id,
        seats.c.last_ply > 0,
    )
    rows = op.get_bind().execute(
        sa.select(boards.c.id, boards.c.taken_back, due.c.player_id, due.c.about)
        .add_columns(due.c.kind, due.c.since)
        .where(
            due.c.kind.in_(FIRST_MOVES),
            boards.c.id == due.c.board_id,
            boards.c.to_move_id == due.c.player_id,
            boards.c.status == "playing",
            ~has_moved,
        )
    )
    return [
        (row.id, row.since - FIRST_MOVES[row.kind])
        for row in rows
        if row.about == f"{row.id}.{row.player_id}.{row.taken_back}"
    ]


def downgrade() -> None:
    op.drop_table("vacations")
    op.execute(due.delete().where(due.c.kind == "clock"))
    for table, column in (
        ("seats", "banked"),
        ("seats", "used"),
        ("boards", "reminded"),
        ("boards", "waits_since"),
        ("boards", "clock"),
    ):
        op.drop_column(table, column)
