"""All rows of a PostgreSQL database, kept to be put into another one with the same tables."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from psycopg.sql import SQL, Identifier, Literal

from pbm.store.db import Database
from pbm.store.schema import metadata

_TABLES = [*metadata.tables]
_FILLED = SQL("SELECT ARRAY[{}]").format(
    SQL(", ").join(SQL("EXISTS (SELECT FROM {})").format(Identifier(name)) for name in _TABLES)
)
_NUMBERS = """
SELECT sequencename, last_value FROM pg_sequences
WHERE schemaname = 'public' AND last_value IS NOT NULL
"""


@dataclass(frozen=True)
class Rows:
    """What COPY has written of each table that is not empty, and the last numbers given."""

    tables: Mapping[str, bytes]
    numbers: Mapping[str, int]


def next_transaction(database: Database) -> int:
    """A number that grows whenever anybody writes into any database of the server."""
    with _held(database) as held:
        query = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
        return int(held.execute(query).fetchone()[0])


def filled(database: Database) -> list[str]:
    """The tables that are not empty."""
    with _held(database) as held:
        (found,) = held.execute(_FILLED).fetchone()
    return [name for name, has_rows in zip(_TABLES, found, strict=True) if has_rows]


def rows_of(database: Database) -> Rows:
    """Everything that is stored."""
    names = filled(database)
    with _held(database) as held, held.cursor() as cursor:
        tables = {}
        for name in names:
            with cursor.copy(SQL("COPY {} TO STDOUT").format(Identifier(name))) as copy:
                tables[name] = b"".join(map(bytes, copy))
        return Rows(tables, dict(held.execute(_NUMBERS).fetchall()))


def put(rows: Rows, database: Database) -> None:
    """Let the database hold these rows, and no others."""
    before = filled(database)
    with _held(database) as held, held.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # no key is looked for
        for name in before:
            cursor.execute(SQL("DELETE FROM {}").format(Identifier(name)))
        for name, data in rows.tables.items():
            with cursor.copy(SQL("COPY {} FROM STDIN").format(Identifier(name))) as copy:
                copy.write(data)
        for name, last in rows.numbers.items():
            cursor.execute(SQL("SELECT setval({}, {})").format(Literal(name), Literal(last)))


@contextmanager
def _held(database: Database) -> Iterator[Any]:
    """A connection in a transaction of which nobody is told who listens to the engine."""
    connection = database.engine.raw_connection()
    try:
        held: Any = connection.dbapi_connection
        with held.transaction():
            yield held
    finally:
        connection.close()
