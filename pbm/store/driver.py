"""SQL run by the driver itself, with errors and listeners as SQLAlchemy has them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError


def execute(connection: Connection, sql: str, bound: Any = ()) -> Sequence[Any]:
    """Run SQL as the driver takes it, with one set of values or a list of them.

    Returns the driver's rows. Errors are SQLAlchemy's (DBAPIError), and who listens to the
    engine's statements hears of this one.
    """
    held: Any = connection.connection.dbapi_connection
    errors: Any = connection.dialect.loaded_dbapi.Error
    try:
        cursor = held.cursor()
        many = isinstance(bound, list)
        for listen in connection.engine.dispatch.before_cursor_execute:
            listen(connection, cursor, sql, bound, None, many)
        cursor.executemany(sql, bound) if many else cursor.execute(sql, bound)
        return cursor.fetchall() if cursor.description else []
    except errors as error:
        raise _as_sqlalchemy_has_it(connection, sql, error) from error


def _as_sqlalchemy_has_it(connection: Connection, sql: str, error: Any) -> BaseException:
    """The error in SQLAlchemy's class for it; a connection that has broken is given up."""
    dialect = connection.dialect
    broken = dialect.is_disconnect(error, connection.connection, None)
    if broken:
        connection.invalidate(error)
    found: BaseException = DBAPIError.instance(
        sql,
        None,  # the values may be somebody's mail
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=broken,
        dialect=dialect,
    )
    return found
