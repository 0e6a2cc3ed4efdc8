"""Connections to PostgreSQL, on which nothing costs a round trip that need not."""

from select import POLLIN, poll
from time import monotonic
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from pbm.store.sql.driver import Call, execute

# Nothing is asked of the database for so long by who works: turns that hang end after half of it.
MOST_IDLE_SECONDS = 60  # within a transaction
IDLE_SECONDS = 30.0  # after which a connection may have gone without a word
_IDLE_SINCE = "pbm_idle_since"


def postgresql_engine(url: URL) -> Engine:
    """An engine whose errors quote no values, which may be somebody's mail.

    The driver begins no transactions: who asks for one either lets the first statement bring the
    beginning along, and says so with the option `pbm_begins_itself`, or it is sent at once.
    """
    engine = create_engine(url, isolation_level="AUTOCOMMIT", hide_parameters=True)
    event.listen(engine, "connect", _limit_idleness)
    event.listen(engine, "begin", _begin)
    event.listen(engine, "checkin", _note_idle)
    event.listen(engine, "checkout", _try_out)
    return engine


def _limit_idleness(held: Any, _record: object) -> None:
    """Let the server end a transaction whose process stands still, or whose machine is gone.

    It would hold its locks for good, and keep every row from being cleaned away. It is no
    parameter of the connection, since poolers let few of those pass.
    """
    held.execute(f"SET idle_in_transaction_session_timeout = '{MOST_IDLE_SECONDS}s'")


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if "pbm_begins_itself" not in options and "isolation_level" not in options:
        execute(connection, Call("BEGIN"))


def _note_idle(_held: object, entry: ConnectionPoolEntry) -> None:
    entry.info[_IDLE_SINCE] = monotonic()


def _try_out(held: Any, entry: ConnectionPoolEntry, _borrowed: object) -> None:
    """Find out whether a connection is broken, and with it all that lie in the pool.

    A server that ends says goodbye: then there is something to read. One that vanishes does not, so
    whatever was idle for long is asked.
    """
    idle_since = entry.info.get(_IDLE_SINCE)
    if idle_since is None:  # it has just been made
        return
    if monotonic() - idle_since < IDLE_SECONDS and not _has_news(held):
        return
    try:
        held.execute("")
    except psycopg.Error as error:
        raise InvalidatePoolError from error


def _has_news(held: Any) -> bool:
    try:
        socket = poll()
        socket.register(held.fileno(), POLLIN)
        return bool(socket.poll(0))
    except psycopg.Error:  # it is known to be broken
        return True
