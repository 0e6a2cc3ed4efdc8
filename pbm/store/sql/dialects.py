"""Engines for SQLite and PostgreSQL, by URL."""

from pathlib import Path
from select import POLLIN, poll
from time import monotonic
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from pbm.errors import OperatorError
from pbm.files import refuse_anothers, trouble
from pbm.store.sql.driver import Call, execute

_BUSY_MILLISECONDS = 30_000
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


def parse_url(url: str) -> URL:
    """Parse `PBM_DATABASE_URL`. Raises OperatorError, whose text contains no part of it."""
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
    """A database's URL for the operator, without a possible password."""
    told = {name: url.query[name] for name in ("host", "port") if name in url.query}
    return url.set(query=told).render_as_string(hide_password=True)


def make_engine(url: str) -> Engine:
    """An engine whose errors contain no values, since these may be from mails.

    Transactions begin here, not in the driver. On PostgreSQL the option `pbm_begins_itself` says
    that BEGIN goes along with the first statement.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(parsed, isolation_level="AUTOCOMMIT", hide_parameters=True)
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
        refuse_anothers(file.parent, file, *(Path(f"{file}-{log}") for log in ("wal", "shm")))
        # The connection used last has a warm page cache; others must reread changed pages.
        engine = create_engine(parsed, pool_use_lifo=True, hide_parameters=True)
        event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare_sqlite(dbapi_connection: Any, _record: object) -> None:
    # The driver's own transaction handling would let a leading SAVEPOINT outlive its rollback.
    dbapi_connection.isolation_level = None
    for pragma in (
        f"busy_timeout={_BUSY_MILLISECONDS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        dbapi_connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if connection.dialect.name == "sqlite":
        execute(connection, Call("BEGIN" if "pbm_reading" in options else "BEGIN IMMEDIATE"))
    elif "pbm_begins_itself" not in options and "isolation_level" not in options:
        execute(connection, Call("BEGIN"))


def _limit_idleness(held: Any, _record: object) -> None:
    """Let the server end a transaction whose process hangs, or whose machine is gone.

    Such a transaction would hold its locks for good, and prevent vacuuming. It is set by a
    statement, since poolers reject most connection parameters.
    """
    held.execute(f"SET idle_in_transaction_session_timeout = '{MOST_IDLE_SECONDS}s'")


def _try_out(held: Any, entry: ConnectionPoolEntry, _borrowed: object) -> None:
    """Test a connection; if it is broken, invalidate the whole pool.

    A server that shuts down sends a message, so there is data to read. One that vanishes does not,
    so connections that were idle for long are tested by a query.
    """
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
