"""Which game a board holds, and what was chosen for it as data

Before, all boards held the same game, and the layout had a column; whether it was played in teams
or around a pillar stood in its first state line alone. The program before this one cannot write
boards any more: stop its processes first.

The columns come with a default, since SQLite would else have to drop the table, which others refer to.
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
    _add("game", sa.String(16), ONLY_GAME)
    _add("options", sa.JSON(), "{}")
    connection = op.get_bind()
    found = connection.execute(sa.select(boards.c.id, boards.c.layout, boards.c.start_state)).all()
    for number, layout, state in found:
        rows, _, _, flags = state.split(" ")
        options = {"layout": layout}
        options |= {"teams": True} if "teams" in flags.split(";") else {}
        options |= {"pillar": True} if "#" in rows else {}
        filled = boards.update().where(boards.c.id == number)
        connection.execute(filled.values(game=ONLY_GAME, options=options))
    op.drop_column("boards", "layout")


def downgrade() -> None:
    _add("layout", sa.String(40), "standard")
    connection = op.get_bind()
    found = connection.execute(sa.select(boards.c.id, boards.c.game, boards.c.options)).all()
    for number, game, options in found:
        if game != ONLY_GAME:
            raise ValueError(f"board {number} holds {game}, which the version before does not know")
        filled = boards.update().where(boards.c.id == number)
        connection.execute(filled.values(layout=options["layout"]))
    op.drop_column("boards", "options")
    op.drop_column("boards", "game")


def _add(name: str, kind: sa.types.TypeEngine, first: str) -> None:
    op.add_column("boards", sa.Column(name, kind, nullable=False, server_default=first))
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("boards", name, server_default=None)
