"""Schema migrations by Alembic, without a configuration file."""

from datetime import datetime

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text

from pbm.errors import OperatorError
from pbm.resources import resource_path
from pbm.store.db import Database
from pbm.store.schema.running import heartbeats


def newest_version() -> str:
    head = _scripts().get_current_head()
    if head is None:
        raise LookupError("there are no migrations")
    return head


def is_known_version(version: str) -> bool:
    return version in {script.revision for script in _scripts().walk_revisions()}


def current_version(database: Database) -> str | None:
    """Return the database's schema version, None for an empty database."""
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


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
    with database.engine.begin() as connection:
        if not database.embedded:  # a migration may compute for long between two statements
            connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        command.upgrade(_config(connection), "head")


def processes_between(database: Database, first: datetime, last: datetime) -> list[str]:
    """Name the processes with a heartbeat in that time, whatever version the tables have."""
    beats = heartbeats.c
    query = select(beats.pid, beats.host).where(beats.beat_at.between(first, last)).distinct()
    with database.engine.connect() as connection:
        if not inspect(connection).has_table(heartbeats.name):
            return []
        rows = connection.execute(query.order_by(beats.host, beats.pid))
        return [f"process {row.pid} on {row.host}" for row in rows]


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(resource_path("migrations")))
    config.attributes["connection"] = connection
    return config
