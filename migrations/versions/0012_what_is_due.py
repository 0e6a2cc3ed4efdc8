"""What is to be done at a moment

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

On boards that wait for somebody's first move the time counts from now, so nobody is declined at
once. Questions that nobody has answered lapse when they were to, those of before at once; of these
nobody is told, as their timers were set after their end.
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

REMINDED_AFTER = timedelta(days=2)

_MOMENT = sa.DateTime(timezone=True)
boards = sa.table(
    "boards", *(sa.column(name) for name in ("id", "status", "to_move_id", "taken_back"))
)
seats = sa.table(
    "seats", *(sa.column(name) for name in ("board_id", "player_id", "last_ply", "name"))
)
questions = sa.table(
    "questions", *(sa.column(name) for name in ("id", "answer")), sa.column("expires_at", _MOMENT)
)
due = sa.table(
    "due",
    *(sa.column(name) for name in ("kind", "about", "board_id", "player_id", "question_id")),
    *(sa.column(name, _MOMENT) for name in ("since", "set_at", "due_at")),
)


def upgrade() -> None:
    op.create_table(
        "due",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("about", sa.String(60), nullable=False),
        sa.Column("board_id", sa.Integer()),
        sa.Column("player_id", sa.Integer()),
        sa.Column("question_id", sa.Integer()),
        sa.Column("since", _MOMENT, nullable=False),
        sa.Column("set_at", _MOMENT, nullable=False),
        sa.Column("due_at", _MOMENT, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("last_error", sa.Text()),
        sa.Column("stuck", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name="pk_due"),
        sa.UniqueConstraint("kind", "about", name="uq_due_kind_about"),
        sqlite_autoincrement=True,
    )
    for name, columns, stuck in (
        ("ix_due_next", ["due_at", "id"], False),
        ("ix_due_stuck", ["id"], True),
    ):
        op.create_index(
            name,
            "due",
            columns,
            sqlite_where=sa.text(f"stuck = {int(stuck)}"),
            postgresql_where=sa.text("stuck" if stuck else "NOT stuck"),
        )
    now = datetime.now(UTC)
    _await_first_moves(now)
    _let_questions_lapse(now)


def _await_first_moves(now: datetime) -> None:
    text = sa.String()
    about = (
        sa.cast(boards.c.id, text)
        + "."
        + sa.cast(boards.c.to_move_id, text)
        + "."
        + sa.cast(boards.c.taken_back, text)
    )
    here = seats.c.board_id == boards.c.id
    moved = sa.exists().where(
        here, seats.c.player_id == boards.c.to_move_id, seats.c.last_ply > 0
    )
    from_record = sa.exists().where(here, seats.c.name.is_not(None))
    waiting = sa.select(
        sa.literal("first-move-reminder"),
        about,
        boards.c.id,
        boards.c.to_move_id,
        *_moments(now, now + REMINDED_AFTER),
    ).where(
        boards.c.status == "playing", boards.c.to_move_id.is_not(None), ~moved, ~from_record
    )
    columns = ["kind", "about", "board_id", "player_id", "since", "set_at", "due_at"]
    op.execute(due.insert().from_select(columns, waiting))


def _let_questions_lapse(now: datetime) -> None:
    started, written, _ = _moments(now, now)
    open_ones = sa.select(
        sa.literal("question-lapse"),
        sa.cast(questions.c.id, sa.String()),
        questions.c.id,
        started,
        written,
        questions.c.expires_at,
    ).where(questions.c.answer.is_(None))
    columns = ["kind", "about", "question_id", "since", "set_at", "due_at"]
    op.execute(due.insert().from_select(columns, open_ones))


def _moments(now: datetime, due_at: datetime) -> tuple[sa.ColumnElement[datetime], ...]:
    return tuple(sa.literal(moment, _MOMENT) for moment in (now, now, due_at))


def downgrade() -> None:
    op.drop_table("due")
