"""The tables of the database, brought up to date."""

from pbm.config import Settings
from pbm.store.db import Database
from pbm.store.migrate import current_version, migrate


def migrate_here(settings: Settings) -> tuple[str | None, str | None]:
    """Migrate the database of these settings; return its version before and after.

    Raises OperatorError.
    """
    database = Database(settings.database_url)
    try:
        before = current_version(database)
        migrate(database)
        return before, current_version(database)
    finally:
        database.close()
