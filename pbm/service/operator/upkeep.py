"""The tables of the database, brought up to date."""

import os
from pathlib import Path

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.service.operator import copies
from pbm.store.db import Database
from pbm.store.migrate import current_version, is_current, migrate, newest_version


def migrate_here(settings: Settings) -> tuple[str, Path | None]:
    """Migrate the database of these settings; return what `bring_up_to_date` does.

    Raises OperatorError.
    """
    database = Database(settings.database_url)
    try:
        return bring_up_to_date(database)
    finally:
        database.close()


def bring_up_to_date(database: Database) -> tuple[str, Path | None]:
    """Migrate a database; of an embedded one that had tables a copy stays as it was.

    Returns the version before, empty for none, and the copy. Raises OperatorError.
    """
    if is_current(database):
        return newest_version(), None
    before = current_version(database) or ""
    copy = _copy_of(database, before) if database.embedded and before else None
    migrate(database)
    return before, copy


def _copy_of(database: Database, version: str) -> Path:
    """Copy an embedded database beside it, readable by its owner only. Raises OperatorError."""
    path = copies.sqlite_path(database.engine.url)
    copy = path.with_name(f"{path.name}-before-{version}")
    draft = path.with_name(f".{copy.name}")
    try:
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        copies.copy_out(database.engine.url, draft)
        draft.replace(copy)
    except OSError as error:
        raise _not_copied(path, f"{error.strerror}.") from error
    except OperatorError as error:
        raise _not_copied(path, str(error)) from error
    finally:
        draft.unlink(missing_ok=True)
    return copy


def _not_copied(path: Path, why: str) -> OperatorError:
    return OperatorError(
        f"{path} has to be migrated, and cannot be copied before: {why} The copy needs as much "
        "room as the database."
    )
