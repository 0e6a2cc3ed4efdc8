"""SQLAlchemy engines, and a way to run SQL by the database driver itself, which is faster.

Errors and listeners are still SQLAlchemy's.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from select import POLLIN, poll
from time import monotonic
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, RowMapping, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    InvalidatePoolError,
    OperationalError,
)
from sqlalchemy.pool import ConnectionPoolEntry

from pbm.errors import OperatorError
from pbm.files import check_access, trouble
from pbm.store.sql.jsons import dumps, loads

_BUSY_MILLISECONDS = 30_000
_READER_SECONDS = 5  # of a statement, for those who only read
_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_FORMS = (
    "sqlite:///var/pbm.sqlite3 or postgresql://user:password@host/name. In a user's name or a "
    "password, percent-encode what is neither letter nor digit: an @ is %40, a slash %2F."
)
# Turns stay idle in a transaction for less: a turn that hangs is ended after half of this time.
MOST_IDLE_SECONDS = 60  # within a transaction
IDLE_SECONDS = 30.0  # after which a connection may have been lost silently
Row = dict[str, Any] | RowMapping  # from the driver or from SQLAlchemy
# SQLSTATE classes: connection, rollback, resources, object state, operator, system; and the state
# for a transaction that was idle too long.
_POSTGRESQL_AWAY = ("08", "40", "53", "55", "57", "58", "25P03")
_POSTGRESQL_UNDONE = "40"  # includes deadlocks
_POSTGRESQL_GIVES_UP = ("53200", "53400", "55P03", "57014")  # memory, a limit, a lock, too long
_SQLITE_AWAY = tuple(
    f"SQLITE_{name}" for name in "BUSY LOCKED FULL IOERR CANTOPEN READONLY NOMEM PROTOCOL".split()
)


def parse_url(url: str) -> URL:
    """Parse the value of `PBM_DATABASE_URL`. Raises OperatorError, which shows no part of it."""
    try:
        parsed = make_url(url)
        parsed = parsed.set(drivername=_DRIVERS[parsed.drivername])
    except (ArgumentError, KeyError, ValueError):
        raise OperatorError(f"PBM_DATABASE_URL must look like {_FORMS}") from None
    if parsed.get_backend_name() != "sqlite" and "@" in f"{parsed.host}{parsed.database}":
        # A part of the password was parsed as the host, and would be shown.
        raise OperatorError(
            f"PBM_DATABASE_URL has an @ behind the host. It must look like {_FORMS}"
        )
    return parsed


def shown_url(url: URL) -> str:
    """Return a database's URL without the password, so that it can be shown to the operator."""
    told = {name: url.query[name] for name in ("host", "port") if name in url.query}
    return url.set(query=told).render_as_string(hide_password=True)


_OPTIONS = {"json_serializer": dumps, "json_deserializer": loads, "hide_parameters": True}


def refuse_writes(engine: Engine) -> None:
    """Let each connection that is made from now on only read, and for some seconds at most."""
    is_sqlite = engine.dialect.name == "sqlite"
    event.listen(engine, "connect", _only_read_sqlite if is_sqlite else _only_read_postgresql)


def _only_read_sqlite(held: Any, _record: object) -> None:
    held.execute("PRAGMA query_only=ON")


def _only_read_postgresql(held: Any, _record: object) -> None:
    held.execute("SET default_transaction_read_only = on")
    held.execute(f"SET statement_timeout = '{_READER_SECONDS}s'")


def make_engine(url: str) -> Engine:
    """Return an SQLAlchemy engine for a database. Raises OperatorError for an unusable URL.

    The engine's errors contain no values bound to statements. A listener of the engine sends BEGIN.
    But if the execution option `pbm_begins_itself` is set, `Transaction` sends BEGIN to PostgreSQL,
    in one round trip with its first statement.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(parsed, isolation_level="AUTOCOMMIT", **_OPTIONS)
        event.listen(engine, "connect", _limit_idleness)
        event.listen(engine, "checkin", lambda _, entry: entry.info.update(idle_since=monotonic()))
        event.listen(engine, "checkout", _try_out)
    else:
        if parsed.database in (None, "", ":memory:"):  # each connection would have its own
            told = "PBM_DATABASE_URL must name a file, as sqlite:///var/pbm.sqlite3 does."
            raise OperatorError(told)
        file = Path(str(parsed.database))
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            told = f"The folder {file.parent} cannot be made: {trouble(file.parent, error)}"
            raise OperatorError(told) from error
        check_access(file.parent, file, *(Path(f"{file}-{log}") for log in ("wal", "shm")))
        # The connection used last has a warm page cache; others must reread changed pages.
        engine = create_engine(parsed, pool_use_lifo=True, **_OPTIONS)
        event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare_sqlite(dbapi_connection: Any, _record: object) -> None:
    # The driver's own transaction handling would let a leading SAVEPOINT outlive its rollback.
    dbapi_connection.isolation_level = None
    dbapi_connection.execute(f"PRAGMA busy_timeout={_BUSY_MILLISECONDS}")
    if dbapi_connection.execute("PRAGMA page_count").fetchone() == (0,):  # else it writes each time
        dbapi_connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",  # overwrite what is deleted: a mail may hold a password
        "temp_store=MEMORY",  # else what a savepoint may undo goes to a file
    ):
        dbapi_connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if connection.dialect.name == "sqlite":
        execute(connection, Call("BEGIN" if "pbm_reading" in options else "BEGIN IMMEDIATE"))
    elif "pbm_begins_itself" not in options and "isolation_level" not in options:
        execute(connection, Call("BEGIN"))


def _limit_idleness(held: Any, _record: object) -> None:
    """Limit how long a transaction is idle. Connection poolers reject this as a parameter."""
    held.execute(f"SET idle_in_transaction_session_timeout = '{MOST_IDLE_SECONDS}s'")


def _try_out(held: Any, entry: ConnectionPoolEntry, _borrowed: object) -> None:
    """Test a connection that is taken from the pool. If it is broken, invalidate the whole pool."""
    idle_since = entry.info.get("idle_since")
    if idle_since is None:  # a new connection
        return
    try:
        socket = poll()
        socket.register(held.fileno(), POLLIN)
        if monotonic() - idle_since >= IDLE_SECONDS or socket.poll(0):
            held.execute("")
    except psycopg.Error as error:
        raise InvalidatePoolError from error


class Call(NamedTuple):
    """An SQL text, and one or more sets of values with which it is run."""

    sql: str
    sets: Sequence[Any] = ((),)


def execute(connection: Connection, *calls: Call) -> list[Sequence[Any]]:
    """Run calls in order, and return the rows of each. On PostgreSQL this takes one round trip."""
    held: Any = connection.connection.dbapi_connection
    pipeline = getattr(held, "pipeline", None)
    listeners = connection.engine.dispatch.before_cursor_execute
    cursors = []
    try:
        with pipeline() if pipeline and len(calls) > 1 else nullcontext():
            for call in calls:
                cursor = held.cursor()
                is_many = len(call.sets) > 1
                for listen in listeners:
                    values = call.sets if is_many else call.sets[0]
                    listen(connection, cursor, call.sql, values, None, is_many)
                for values in call.sets:
                    # pg_stat_statements does not count prepared BEGIN and COMMIT.
                    unprepared = {"prepare": False} if pipeline and not values else {}
                    cursor.execute(call.sql, values, **unprepared)
                cursors.append(cursor)
        return [cursor.fetchall() if cursor.description else () for cursor in cursors]
    except connection.dialect.loaded_dbapi.Error as error:
        raise _as_sqlalchemy_has_it(connection, calls, error) from error


def _as_sqlalchemy_has_it(
    connection: Connection, calls: Sequence[Call], error: Any
) -> BaseException:
    """Wrap a driver's error in SQLAlchemy's class. Invalidate the connection if it is broken."""
    dialect = connection.dialect
    held: Any = connection.connection.dbapi_connection
    cut_off = dialect.is_disconnect(error, connection.connection, None)
    broken = cut_off or (hasattr(held, "pipeline") and bool(held.info.pipeline_status))
    if broken:
        connection.invalidate(error)
    wrapped: BaseException = DBAPIError.instance(
        ";\n".join(call.sql for call in calls),
        None,  # values may be from mails
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=broken,
        dialect=dialect,
    )
    return wrapped


def _state(error: BaseException) -> str:
    """Return PostgreSQL's SQLSTATE of an error; empty if it has none."""
    return getattr(error.orig, "sqlstate", None) or "" if isinstance(error, DBAPIError) else ""


def is_away(error: BaseException) -> bool:
    """Return whether an error means that the database is unreachable, full or locked."""
    name = getattr(getattr(error, "orig", None), "sqlite_errorname", None)
    if name or _state(error):
        return str(name).startswith(_SQLITE_AWAY) or _state(error).startswith(_POSTGRESQL_AWAY)
    return isinstance(error, OperationalError | InterfaceError)


def lost_a_race(error: BaseException) -> bool:
    """Return whether a conflict of transactions caused an error, so that a retry may succeed."""
    return _state(error).startswith(_POSTGRESQL_UNDONE)


def gave_up(error: BaseException) -> bool:
    """Return whether PostgreSQL gave up a statement for lack of time, memory or a lock."""
    return _state(error) in _POSTGRESQL_GIVES_UP
