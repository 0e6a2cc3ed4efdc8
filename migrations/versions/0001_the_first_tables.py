"""The first tables

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("digest", sa.String(length=80), nullable=False),
        sa.Column("recipient", sa.String(length=254), nullable=False),
        sa.Column("sender", sa.String(length=254), nullable=False),
        sa.Column("peer", sa.String(length=64), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.String(length=6), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("digest", "recipient", name=op.f("uq_inbox_digest_recipient")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_inbox_stuck",
        "inbox",
        ["id"],
        sqlite_where=sa.text("status = 'stuck'"),
        postgresql_where=sa.text("status = 'stuck'"),
    )
    op.create_index(
        "ix_inbox_waiting",
        "inbox",
        ["id"],
        sqlite_where=sa.text("status = 'new'"),
        postgresql_where=sa.text("status = 'new'"),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("handle", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("handle", name=op.f("uq_players_handle")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "addresses",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("address_key", sa.String(length=254), nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_addresses_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
        sa.UniqueConstraint("address_key", name=op.f("uq_addresses_address_key")),
    )
    op.create_index(op.f("ix_addresses_player_id"), "addresses", ["player_id"])
    op.create_table(
        "boards",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("layout", sa.String(length=40), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("start_state", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("ended_by", sa.String(length=12), nullable=True),
        sa.Column("winners", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("to_move_id", sa.Integer(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["to_move_id"], ["players.id"], name=op.f("fk_boards_to_move_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_boards")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_boards_to_move_id",
        "boards",
        ["to_move_id"],
        sqlite_where=sa.text("to_move_id IS NOT NULL"),
        postgresql_where=sa.text("to_move_id IS NOT NULL"),
    )
    op.create_table(
        "questions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("token_digest", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("address_key", sa.String(length=254), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answer", sa.String(length=10), nullable=True),
        sa.Column("epoch", sa.Integer(), server_default="1", nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_questions_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questions")),
        sa.UniqueConstraint("token_digest", name=op.f("uq_questions_token_digest")),
    )
    op.create_index("ix_questions_address_key", "questions", ["address_key", "kind", "asked_at"])
    op.create_index("ix_questions_player_id", "questions", ["player_id", "kind", "asked_at"])
    op.create_table(
        "changes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.String(length=80), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("what", sa.String(length=40), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("board_id", sa.Integer(), nullable=True),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_changes_board_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_changes_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_changes")),
    )
    op.create_index(op.f("ix_changes_board_id"), "changes", ["board_id"])
    op.create_index(op.f("ix_changes_player_id"), "changes", ["player_id"])
    op.create_table(
        "departures",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("after_ply", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("how", sa.String(length=12), nullable=False),
        sa.Column("left_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_departures_board_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_departures")),
    )
    op.create_index(op.f("ix_departures_board_id"), "departures", ["board_id"])
    op.create_table(
        "errands",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=True),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("comment", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_errands_board_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_errands_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_errands")),
    )
    op.create_index("ix_errands_player_id", "errands", ["player_id", "status"])
    op.create_table(
        "moves",
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(length=16), nullable=False),
        sa.Column("effect", sa.JSON(), nullable=False),
        sa.Column("played_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_moves_board_id")),
        sa.PrimaryKeyConstraint("board_id", "ply", name=op.f("pk_moves")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("recipient", sa.String(length=254), nullable=False),
        sa.Column("recipient_key", sa.String(length=254), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("board_id", sa.Integer(), nullable=True),
        sa.Column("inbox_id", sa.Integer(), nullable=True),
        sa.Column("thread", sa.Integer(), nullable=False),
        sa.Column("template", sa.String(length=40), nullable=False),
        sa.Column("params", sa.JSON(), nullable=True),
        sa.Column("headers", sa.JSON(), nullable=True),
        sa.Column("message_id", sa.String(length=200), nullable=False),
        sa.Column("sender", sa.String(length=254), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_outbox_board_id")),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_outbox_inbox_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_outbox_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("message_id", name=op.f("uq_outbox_message_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_answers", "outbox", ["recipient_key", "kind", "written_at"])
    op.create_index(
        "ix_outbox_due",
        "outbox",
        ["due_at", "id"],
        sqlite_where=sa.text("status = 'due'"),
        postgresql_where=sa.text("status = 'due'"),
    )
    op.create_index(
        "ix_outbox_failed",
        "outbox",
        ["id"],
        sqlite_where=sa.text("status = 'failed'"),
        postgresql_where=sa.text("status = 'failed'"),
    )
    op.create_index(
        "ix_outbox_order",
        "outbox",
        ["recipient_key", "thread", "id"],
        sqlite_where=sa.text("status = 'due'"),
        postgresql_where=sa.text("status = 'due'"),
    )
    op.create_index(
        "ix_outbox_waiting",
        "outbox",
        ["id"],
        sqlite_where=sa.text("status = 'due'"),
        postgresql_where=sa.text("status = 'due'"),
    )
    op.create_table(
        "seats",
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("playing", sa.Boolean(), nullable=False),
        sa.Column("last_ply", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_seats_board_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_seats_player_id")),
        sa.PrimaryKeyConstraint("board_id", "seat", name=op.f("pk_seats")),
    )
    op.create_index("ix_seats_player_id_playing", "seats", ["player_id", "playing"])


def downgrade() -> None:
    op.drop_index("ix_seats_player_id_playing", table_name="seats")
    op.drop_table("seats")
    op.drop_index(
        "ix_outbox_waiting",
        table_name="outbox",
        sqlite_where=sa.text("status = 'due'"),
        postgresql_where=sa.text("status = 'due'"),
    )
    op.drop_index(
        "ix_outbox_order",
        table_name="outbox",
        sqlite_where=sa.text("status = 'due'"),
        postgresql_where=sa.text("status = 'due'"),
    )
    op.drop_index(
        "ix_outbox_failed",
        table_name="outbox",
        sqlite_where=sa.text("status = 'failed'"),
        postgresql_where=sa.text("status = 'failed'"),
    )
    op.drop_index(
        "ix_outbox_due",
        table_name="outbox",
        sqlite_where=sa.text("status = 'due'"),
        postgresql_where=sa.text("status = 'due'"),
    )
    op.drop_index("ix_outbox_answers", table_name="outbox")
    op.drop_table("outbox")
    op.drop_table("moves")
    op.drop_index("ix_errands_player_id", table_name="errands")
    op.drop_table("errands")
    op.drop_index(op.f("ix_departures_board_id"), table_name="departures")
    op.drop_table("departures")
    op.drop_index(op.f("ix_changes_player_id"), table_name="changes")
    op.drop_index(op.f("ix_changes_board_id"), table_name="changes")
    op.drop_table("changes")
    op.drop_index("ix_questions_player_id", table_name="questions")
    op.drop_index("ix_questions_address_key", table_name="questions")
    op.drop_table("questions")
    op.drop_index(
        "ix_boards_to_move_id",
        table_name="boards",
        sqlite_where=sa.text("to_move_id IS NOT NULL"),
        postgresql_where=sa.text("to_move_id IS NOT NULL"),
    )
    op.drop_table("boards")
    op.drop_index(op.f("ix_addresses_player_id"), table_name="addresses")
    op.drop_table("addresses")
    op.drop_table("players")
    op.drop_index(
        "ix_inbox_waiting",
        table_name="inbox",
        sqlite_where=sa.text("status = 'new'"),
        postgresql_where=sa.text("status = 'new'"),
    )
    op.drop_index(
        "ix_inbox_stuck",
        table_name="inbox",
        sqlite_where=sa.text("status = 'stuck'"),
        postgresql_where=sa.text("status = 'stuck'"),
    )
    op.drop_table("inbox")
