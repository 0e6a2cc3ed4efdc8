"""Runs SQL by the driver itself, with errors and event listeners as in SQLAlchemy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.engine import RowMapping
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

Row = dict[str, Any] | RowMapping
"""A row by column names, from the driver or from SQLAlchemy."""


@dataclass(frozen=True)
class Call:
    """SQL, and the sets of values to run it with, in the driver's form."""

    sql: str
    sets: Sequence[Any] = ((),)


def execute(connection: Connection, *calls: Call) -> list[Sequence[Any]]:
    """Run calls in order; on a shared database in one round trip.

    Returns the driver's rows of each. Raises SQLAlchemy's errors (DBAPIError). SQLAlchemy's
    listeners for statements are called, too.
    """
    held: Any = connection.connection.dbapi_connection
    run = _run_together if len(calls) > 1 and hasattr(held, "pipeline") else _run_in_a_row
    try:
        return run(connection, held, calls)
    except connection.dialect.loaded_dbapi.Error as error:
        raise _as_sqlalchemy_has_it(connection, calls, error) from error


def _run_in_a_row(connection: Connection, held: Any, calls: Sequence[Call]) -> list[Sequence[Any]]:
    found: list[Sequence[Any]] = []
    for call in calls:
        cursor = held.cursor()
        _tell_listeners(connection, cursor, call)
        if len(call.sets) > 1:
            cursor.executemany(call.sql, call.sets)
        else:
            cursor.execute(call.sql, call.sets[0], **_preparing(held, call))
        found.append(cursor.fetchall() if cursor.description else ())
    return found


def _run_together(connection: Connection, held: Any, calls: Sequence[Call]) -> list[Sequence[Any]]:
    """Send all calls before waiting for the first result."""
    cursors = []
    with held.pipeline():
        for call in calls:
            cursor = held.cursor()
            _tell_listeners(connection, cursor, call)
            for values in call.sets:  # `executemany` would wait for results
                cursor.execute(call.sql, values, **_preparing(held, call))
            cursors.append(cursor)
    return [cursor.fetchall() if cursor.description else () for cursor in cursors]


def _preparing(held: Any, call: Call) -> dict[str, Any]:
    """Leave BEGIN and COMMIT unprepared; pg_stat_statements would not count them otherwise."""
    return {"prepare": False} if hasattr(held, "pipeline") and not call.sets[0] else {}


def _tell_listeners(connection: Connection, cursor: Any, call: Call) -> None:
    is_many = len(call.sets) > 1
    values = call.sets if is_many else call.sets[0]
    for listen in connection.engine.dispatch.before_cursor_execute:
        listen(connection, cursor, call.sql, values, None, is_many)


def _as_sqlalchemy_has_it(
    connection: Connection, calls: Sequence[Call], error: Any
) -> BaseException:
    """Wrap a driver's error in SQLAlchemy's class; invalidate the connection if it has broken.

    A server that shuts down may say so first, and answer none of the other statements. That leaves
    the connection in pipeline mode, in which it cannot even be rolled back.
    """
    dialect = connection.dialect
    held: Any = connection.connection.dbapi_connection
    cut_off = dialect.is_disconnect(error, connection.connection, None)
    broken = cut_off or (hasattr(held, "pipeline") and bool(held.info.pipeline_status))
    if broken:
        connection.invalidate(error)
    found: BaseException = DBAPIError.instance(
        ";\n".join(call.sql for call in calls),
        None,  # values may be from mails
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=broken,
        dialect=dialect,
    )
    return found


# SQLSTATE classes: connection, rollback, resources, object state, operator, system; and the state
# for a transaction that was idle too long.
_POSTGRESQL_AWAY = ("08", "40", "53", "55", "57", "58", "25P03")
_POSTGRESQL_UNDONE = "40"  # includes deadlocks
_POSTGRESQL_GIVES_UP = ("53200", "53400", "55P03", "57014")  # memory, a limit, a lock, too long
_SQLITE_AWAY = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_NOMEM",
    "SQLITE_PROTOCOL",
)


def is_away(error: BaseException) -> bool:
    """Whether the database is the cause (gone, full, locked), not the statement."""
    if not isinstance(error, DBAPIError):
        return False
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        return str(name).startswith(_SQLITE_AWAY)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_POSTGRESQL_AWAY)
    return isinstance(error, OperationalError | InterfaceError)


def lost_a_race(error: BaseException) -> bool:
    """Whether a transaction was rolled back because of a concurrent one; a retry may succeed."""
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    return str(state).startswith(_POSTGRESQL_UNDONE)


def gave_up(error: BaseException) -> bool:
    """Whether a running database aborted a statement: timeout, lock timeout or lack of resources.

    A retry may succeed, and others may run meanwhile.
    """
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    return state in _POSTGRESQL_GIVES_UP
