"""Passwords with hashes of our own costs only; new ones wait apart from the command's line

A migration only adds, or changes in steps that the version before still runs on; it never
reads through the application's code, and it is never edited once released.

Until now a mail could bring the hash itself, and with it how long each check takes. Hashes of
other costs than ours are cleared, and the server tells those players when it starts
(`passwords-cleared` among the facts). A password that waits for a yes is taken out of its line;
after the yes its player is asked to send it again.
"""

import re
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

OURS = re.compile(
    r"\$argon2id\$v=19\$m=19456,t=2,p=1"
    r"\$[A-Za-z0-9+/]{21}[AQgw]\$[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]",
    re.ASCII,
)
IN_A_LINE = "change password argon2id:"
CLEARED = "passwords-cleared"

players = sa.table("players", sa.column("id"), sa.column("password_hash"))
errands = sa.table("errands", sa.column("id"), sa.column("lines", sa.JSON()))
facts = sa.table(
    "facts",
    sa.column("name"),
    sa.column("value", sa.JSON()),
    sa.column("noted_at", sa.DateTime(timezone=True)),
)


def upgrade() -> None:
    connection = op.get_bind()
    _clear_foreign_hashes(connection)
    # The players first, as turns do: the other way round a turn and this could wait for each other.
    op.add_column("errands", sa.Column("password_hash", sa.String(200)))
    op.add_column("errands", sa.Column("password_seal", sa.String(40)))
    _take_hashes_out_of_lines(connection)


def _clear_foreign_hashes(connection: sa.Connection) -> None:
    kept = connection.execute(
        sa.select(players.c.id, players.c.password_hash)
        .where(players.c.password_hash.is_not(None))
        .order_by(players.c.id)
    )
    cleared = [row.id for row in kept if not OURS.fullmatch(row.password_hash)]
    for player_id in cleared:
        connection.execute(
            players.update().where(players.c.id == player_id).values(password_hash=None)
        )
    if cleared:
        connection.execute(
            facts.insert().values(name=CLEARED, value=cleared, noted_at=datetime.now(UTC))
        )


def _take_hashes_out_of_lines(connection: sa.Connection) -> None:
    text = sa.cast(errands.c.lines, sa.Text)
    found = connection.execute(
        sa.select(errands.c.id, errands.c.lines).where(text.contains(IN_A_LINE))
    ).all()
    for row in found:
        lines = [
            "change password ****" if line.startswith(IN_A_LINE) else line for line in row.lines
        ]
        connection.execute(errands.update().where(errands.c.id == row.id).values(lines=lines))


def downgrade() -> None:
    op.get_bind().execute(facts.delete().where(facts.c.name == CLEARED))
    op.drop_column("errands", "password_seal")
    op.drop_column("errands", "password_hash")
