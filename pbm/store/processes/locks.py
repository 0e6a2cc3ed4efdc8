"""Locks between processes.

Only one server may use a SQLite file. Only one process may send a given mail.
"""

import fcntl
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, TextClause, text
from sqlalchemy.exc import DBAPIError

from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.store.db import Database
from pbm.store.schema.mails import IN_HAND


def acquire_server_lock(database: Database) -> IO[str] | None:
    """Acquire the lock that allows only one server to use a SQLite file. Raises OperatorError.

    The lock is held while the returned file is open. Returns None for PostgreSQL.
    """
    name = database.engine.url.database if database.embedded else None
    if not name:
        return None
    path = Path(f"{Path(name).resolve()}-server.lock")  # one lock, whatever link leads there
    try:
        file = path.open("a+", encoding="ascii")
    except OSError as error:
        raise OperatorError(f"The file {path} cannot be made: {trouble(path, error)}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        other = file.read().strip() or "unknown"
        file.close()
        raise OperatorError(
            f"Another pbm serve (process {other}) uses the database {name} already. "
            "For several servers on one database use PostgreSQL."
        ) from None
    try:
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
    except OSError as error:
        raise OperatorError(f"The file {path} cannot be written: {trouble(path, error)}") from error
    return file


_HOLD = text(
    "SELECT id FROM unnest(CAST(:ids AS integer[])) AS asked(id) "
    "WHERE pg_try_advisory_lock(:class, id)"
)
_BACK_UP = text("SELECT pg_try_advisory_lock(1885498989, 2)")
_RELEASE = text(
    "SELECT pg_advisory_unlock(:class, id) FROM unnest(CAST(:ids AS integer[])) AS held(id)"
)


@contextmanager
def backing_up(database: Database) -> Iterator[bool]:
    """Yield whether this is the only process that makes a backup now; SQLite has no other."""
    if database.embedded:
        yield True
        return
    with database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        yield bool(connection.scalar(_BACK_UP))
        connection.invalidate()  # keep out of the pool: the lock ends with the connection


class AdvisoryLocks:
    """PostgreSQL's advisory locks on mails being sent. They end if this process dies."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None

    def take(self, outbox_ids: Sequence[int]) -> frozenset[int]:
        """Try to lock mails without waiting; return the numbers of those that are now locked."""
        if self._database.embedded or not outbox_ids:
            return frozenset(outbox_ids)
        return frozenset(self._run(_HOLD, outbox_ids))

    def let_go(self, outbox_ids: Collection[int]) -> None:
        if not self._database.embedded and outbox_ids:
            self._run(_RELEASE, outbox_ids)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.invalidate()  # keep out of the pool: the locks end with the connection
            self._connection.close()
            self._connection = None

    def _run(self, statement: TextClause, outbox_ids: Collection[int]) -> list[int]:
        """Run a statement. If the connection was lost, retry once on a new connection."""
        may_be_lost = self._connection is not None
        if self._connection is None:
            engine = self._database.engine.execution_options(isolation_level="AUTOCOMMIT")
            self._connection = engine.connect()
        try:
            found = self._connection.execute(statement, {"class": IN_HAND, "ids": list(outbox_ids)})
            return [int(row[0]) for row in found]
        except DBAPIError as error:
            self.close()
            if may_be_lost and error.connection_invalidated:  # the locks are lost, too
                return self._run(statement, outbox_ids)
            raise
