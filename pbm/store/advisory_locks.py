"""Which of several processes sends a mail: whoever holds it, until it lets go or dies."""

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, TextClause, text
from sqlalchemy.exc import DBAPIError

from pbm.store.db import Database
from pbm.store.schema.mails import IN_HAND

_HOLD = text(
    "SELECT id FROM unnest(CAST(:ids AS integer[])) AS asked(id) "
    "WHERE pg_try_advisory_lock(:class, id)"
)
_RELEASE = text(
    "SELECT pg_advisory_unlock(:class, id) FROM unnest(CAST(:ids AS integer[])) AS held(id)"
)


class AdvisoryLocks:
    """Mails that this process has in hand, by session locks of PostgreSQL.

    The locks belong to one connection, so that those of a dead process lapse with it. An
    embedded database has one server, which need not tell anybody.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None

    def take(self, outbox_ids: Sequence[int]) -> frozenset[int]:
        """Try to hold mails; return those that nobody else holds. Never waits."""
        if self._database.embedded or not outbox_ids:
            return frozenset(outbox_ids)
        return frozenset(self._run(_HOLD, outbox_ids))

    def let_go(self, outbox_ids: Collection[int]) -> None:
        """Hold these mails no more."""
        if not self._database.embedded and outbox_ids:
            self._run(_RELEASE, outbox_ids)

    def close(self) -> None:
        """Let go of everything."""
        if self._connection is not None:
            self._connection.invalidate()  # not back into the pool: the locks end with it
            self._connection.close()
            self._connection = None

    def _run(self, statement: TextClause, outbox_ids: Collection[int]) -> list[int]:
        """Ask at once again on another connection where the one that lay idle has ended, and all
        locks with it."""
        was_open = self._connection is not None
        try:
            return self._ask(statement, outbox_ids)
        except DBAPIError as error:
            if not (was_open and error.connection_invalidated):
                raise
        return self._ask(statement, outbox_ids)

    def _ask(self, statement: TextClause, outbox_ids: Collection[int]) -> list[int]:
        if self._connection is None:
            engine = self._database.engine.execution_options(isolation_level="AUTOCOMMIT")
            self._connection = engine.connect()
        try:
            found = self._connection.execute(statement, {"class": IN_HAND, "ids": list(outbox_ids)})
            return [int(row[0]) for row in found]
        except DBAPIError:
            self.close()
            raise
