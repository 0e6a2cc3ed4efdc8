"""Which game a board holds, and what was chosen for it as data

Before, all boards held the same game, and the layout had a column; whether it was played in teams
or around a pillar stood in its first state line alone. The program before this one cannot write
boards any more: stop its processes first.

Mails that wait to be sent are told which game they are about, too.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

ONLY_GAME = "abalone"

boards = sa.table(
    "boards",
    *(sa.column(name) for name in ("id", "layout", "game", "start_state")),
    sa.column("options", sa.JSON()),
)


def upgrade() -> None:
    op.add_column("boards", sa.Column("game", sa.String(16)))
    op.add_column("boards", sa.Column("options", sa.JSON()))
    connection = op.get_bind()
    found = connection.execute(sa.select(boards.c.id, boards.c.layout, boards.c.start_state)).all()
    for number, layout, state in found:
        rows, _, _, flags = state.split(" ")
        options = {"layout": layout}
        options |= {"teams": True} if "teams" in flags.split(";") else {}
        options |= {"pillar": True} if "#" in rows else {}
        filled = boards.update().where(boards.c.id == number)
        connection.execute(filled.values(game=ONLY_GAME, options=options))
    with op.batch_alter_table("boards") as table:
        table.alter_column("game", existing_type=sa.String(16), nullable=False)
        table.alter_column("options", existing_type=sa.JSON(), nullable=False)
        table.drop_column("layout")


def downgrade() -> None:
    op.add_column("boards", sa.Column("layout", sa.String(40)))
    connection = op.get_bind()
    found = connection.execute(sa.select(boards.c.id, boards.c.game, boards.c.options)).all()
    for number, game, options in found:
        if game != ONLY_GAME:
            raise ValueError(f"board {number} holds {game}, which the version before does not know")
        filled = boards.update().where(boards.c.id == number)
        connection.execute(filled.values(layout=options["layout"]))
    with op.batch_alter_table("boards") as table:
        table.alter_column("layout", existing_type=sa.String(40), nullable=False)
        table.drop_column("options")
        table.drop_column("game")
