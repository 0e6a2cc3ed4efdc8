"""Classes of errors: the database is away, undid a transaction, or aborted a statement."""

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

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
