"""Whether a pooler, such as pgbouncer, stands before PostgreSQL and lends its sessions by turns.

The post holds mails by locks of its session, processes wake each other by LISTEN, and statements
are prepared: all of that belongs to one session, which must stay with its connection.
"""

from contextlib import suppress
from typing import Any

import psycopg

from pbm.errors import OperatorError
from pbm.store.db import Database

_TRIES = 5  # whoever else uses the pooler may take a session between two of our looks
_SECONDS = 10
_WHOSE = "SELECT pg_backend_pid()"


def refuse_lent_sessions(database: Database) -> None:
    """Raises OperatorError where two connections may get the same session of PostgreSQL.

    Says nothing of one that cannot be reached: whoever uses it next hears of that.
    """
    are_lent = False
    with suppress(psycopg.Error):
        are_lent = not database.embedded and _are_lent(database.address)
    if are_lent:
        raise OperatorError(
            "A pooler stands before PostgreSQL and lends its sessions for a transaction each "
            "(in pgbouncer: pool_mode = transaction, or statement). pbm needs sessions of its own. "
            "Let PBM_DATABASE_URL name PostgreSQL itself, often port 5432 instead of 6432, or set "
            "pool_mode = session for this database."
        )


def _are_lent(address: str) -> bool:
    """Whether a session that one connection has used is given to another while both are open."""
    with _connected(address) as first:
        if _session(first) == first.info.backend_pid:
            return False  # it was PostgreSQL itself that greeted us
        return any(_gets_its_session(address, first) for _ in range(_TRIES))


def _gets_its_session(address: str, first: psycopg.Connection[Any]) -> bool:
    with _connected(address) as other:
        return _session(first) == _session(other)


def _connected(address: str) -> psycopg.Connection[Any]:
    return psycopg.connect(address, autocommit=True, connect_timeout=_SECONDS)


def _session(connection: psycopg.Connection[Any]) -> int:
    """The number of the session that answers a statement."""
    row = connection.execute(_WHOSE).fetchone()
    assert row is not None
    return int(row[0])
