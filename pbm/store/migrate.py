"""Schema migrations by Alembic, without a configuration file."""

import re
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, select, text

from pbm.errors import OperatorError
from pbm.resources import resource_path
from pbm.store.db import Database
from pbm.store.schema.running import heartbeats

if TYPE_CHECKING:
    from alembic.config import Config

_MADE_TABLE = re.compile(r'op\.create_table\(\s*"(\w+)"')


def newest_version() -> str:
    return max(_versions())


def is_known_version(version: str) -> bool:
    return version in _versions()


def current_version(database: Database) -> str | None:
    """Return the database's schema version, None for an empty database."""
    with database.engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return found


def is_current(database: Database) -> bool:
    """Return whether the tables are current. Raises OperatorError for an unknown version."""
    version = current_version(database)
    if version is None or version == newest_version():  # all migrations are read for each question
        return version is not None
    if not is_known_version(version):
        raise OperatorError("The database belongs to a newer pbm than this; install that one.")
    return False


def migrate(database: Database) -> None:
    """Migrate the database to the newest version, in one transaction. Raises OperatorError."""
    if is_current(database):
        return
    from alembic import command  # takes long to import, and is seldom needed

    before = current_version(database) or ""
    with database.engine.begin() as connection:
        if not database.embedded:  # a migration may compute for long between two statements
            connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        _refuse_left_over(connection, before)
        command.upgrade(_config(connection), "head")


def _refuse_left_over(connection: Connection, before: str) -> None:
    """Raise OperatorError if tables are there that only a migration after `before` makes."""
    files = resource_path("migrations").glob("versions/[0-9]*.py")
    sources = (file.read_text("utf-8") for file in files if file.name[:4] > before)
    upward = (source.partition("\ndef downgrade")[0] for source in sources)
    made = {name for source in upward for name in _MADE_TABLE.findall(source)}
    left = ", ".join(sorted(made & set(inspect(connection).get_table_names())))
    if left:
        raise OperatorError(
            "The database has tables that the migration is to make. An older pbm leaves them when "
            "it restores a backup over a newer pbm's tables. If nothing else uses them, drop them "
            f"with psql, and migrate again: DROP TABLE {left} CASCADE;"
        )


def processes_between(database: Database, first: datetime, last: datetime) -> list[str]:
    """Name the processes with a heartbeat in that time, whatever version the tables have."""
    beats = heartbeats.c
    query = select(beats.pid, beats.host).where(beats.beat_at.between(first, last)).distinct()
    with database.engine.connect() as connection:
        if not inspect(connection).has_table(heartbeats.name):
            return []
        rows = connection.execute(query.order_by(beats.host, beats.pid))
        return [f"process {row.pid} on {row.host}" for row in rows]


def _versions() -> set[str]:
    """Return the numbers of all migrations, which their files begin with; the newest is highest."""
    return {file.name[:4] for file in resource_path("migrations").glob("versions/[0-9]*.py")}


def _config(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(resource_path("migrations")))
    config.attributes["connection"] = connection
    return config
