"""PostgreSQL databases that have our tables, emptied after a test and lent to the next one.

To make a database takes PostgreSQL half a second of a processor, and to empty one some 10 ms.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from pbm.store.db import Database
from pbm.store.migrate import migrate
from tests.postgres_server import PostgresServer

_TEMPLATE = "tables"
_MOST_BYTES = 2_000_000  # deleted rows leave their room behind, through which all must read
# What a test may have done to the tables themselves, in a word.
_SHAPE = """
SELECT md5(string_agg(item, ' ' ORDER BY item)) FROM (
    SELECT concat_ws(':', attrelid::regclass, attnum, attname, atttypid, attnotnull) AS item
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(':', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT version_num FROM alembic_version
) AS items
"""
_BYTES = """
SELECT sum(pg_relation_size(oid)) FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
"""
_EMPTY = """
DO $$ DECLARE
    item regclass;
BEGIN
    SET LOCAL session_replication_role = replica;  -- no row is looked for that refers to another
    FOR item IN SELECT oid FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname <> 'alembic_version' AND pg_relation_size(oid) > 0
    LOOP
        EXECUTE format('DELETE FROM %s', item);
    END LOOP;
    PERFORM setval(oid, 1, false) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'S';
END $$
"""
_CUT_OFF = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


class PostgresTables:
    """Lends the databases of a server."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._free: list[str] = []
        self._shape: object = None

    @contextmanager
    def lent(self, *, new: bool = False) -> Iterator[str]:
        """The URL of a database in which nothing is but our tables, all of them empty.

        In a `new` one no test has been before. Others leave the room of deleted rows behind, by
        which PostgreSQL guesses how many rows a table has, and so makes its plans.
        """
        if self._shape is None:
            self._make_template()
        free = self._free and not new
        name = self._free.pop() if free else self._server.create(_TEMPLATE)
        try:
            yield self._server.url(name)
        finally:
            if self._is_good_as_new(name):
                self._free.append(name)
            else:
                self._server.drop(name)

    def _make_template(self) -> None:
        made = self._server.create("template0", name=_TEMPLATE)
        database = Database(self._server.url(made))
        migrate(database)
        database.close()
        with self._server.connected(made) as connection:
            self._shape = _value(connection, _SHAPE)

    def _is_good_as_new(self, name: str) -> bool:
        """Empty the tables, unless a test has changed them or filled them with much."""
        with self._server.connected(name) as connection:
            connection.execute(_CUT_OFF)
            if _value(connection, _SHAPE) != self._shape:
                return False
            if _value(connection, _BYTES) > _MOST_BYTES:
                return False
            connection.execute(_EMPTY)
        return True


def _value(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]
