"""Schema migrations by Alembic, without a configuration file."""

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from pbm.errors import OperatorError
from pbm.resources import resource_path
from pbm.store.db import Database


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


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(resource_path("migrations")))
    config.attributes["connection"] = connection
    return config
