"""Looks whether the database is there, and has the tables that this program needs."""

from contextlib import closing

from sqlalchemy.exc import DBAPIError

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.service.operator.copies import sqlite_path
from pbm.store.connecting import refuse_lent_sessions, why_unusable
from pbm.store.db import Database
from pbm.store.migrate import current_version, is_current, newest_version
from pbm.store.sql.driver import parse_url, shown_url


def database_state(settings: Settings) -> str:
    """Return the database and its version. Raises OperatorError if missing or not up to date."""
    url = parse_url(settings.database_url)
    shown = shown_url(url)
    if url.get_backend_name() == "sqlite" and not sqlite_path(url).exists():
        raise OperatorError(
            f"There is no database at {sqlite_path(url).absolute()} yet. `pbm serve` makes it; "
            "or is this the wrong folder, or PBM_DATABASE_URL not set here?"
        )
    newest = newest_version()
    try:
        with closing(Database(settings.database_url, reads_only=True)) as database:
            refuse_lent_sessions(database)
            if not is_current(database):
                version = current_version(database)
                lag = f"is behind: it has version {version} of the tables, and {newest} is needed"
                lag = lag if version else "has no tables yet"
                raise OperatorError(f"{shown} {lag}. Run: pbm-admin migrate")
    except DBAPIError as error:
        raise OperatorError(f"{shown}: {why_unusable(error)}") from error
    return f"{shown}, version {newest} of the tables"
