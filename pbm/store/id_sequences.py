"""ID sequences of what mails name: boards and players, and mails. None of these is reused."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, inspect, text

from pbm.store.db import Database

NUMBERED = ("boards", "players", "inbox", "outbox")
_STEP = 1_000
_MOST = 900_000_000  # reply addresses have room for nine digits


def highest_given(database: Database, tables: Iterable[str] = NUMBERED) -> dict[str, int]:
    """Return, for each of the tables, the highest ID ever issued, or 0. Raises DBAPIError."""
    present = set(inspect(database.engine).get_table_names())
    with database.engine.connect() as connection:
        return {
            table: _highest(connection, table, database.embedded) if table in present else 0
            for table in tables
        }


def skip_after_restore(database: Database, given: Mapping[str, int]) -> dict[str, int]:
    """Skip all IDs that may have been issued between a backup and its restore.

    Returns each table's next ID. `given` has the highest IDs that are known from another source.
    """
    here = highest_given(database)
    last = {table: last_skipped(max(here[table], given.get(table, 0))) for table in NUMBERED}
    with database.engine.begin() as connection:
        set_highest(connection, last)
    return {table: number + 1 for table, number in last.items()}


def set_highest(connection: Connection, highest: Mapping[str, int]) -> None:
    """Let each table's next ID be the one after `highest`. A table with 0 is left alone."""
    query = "SELECT setval(pg_get_serial_sequence(:name, 'id'), :number)"
    if is_sqlite := connection.dialect.name == "sqlite":
        query = "INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :number)"
    for table, number in highest.items():
        if is_sqlite:
            named = {"name": table}
            connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), named)
        if number:
            connection.execute(text(query), {"name": table, "number": number})


def last_skipped(highest: int) -> int:
    """Return the last ID that `skip_after_restore` skips, or `highest` if none is skipped."""
    after = highest + max(_STEP, highest // 10)
    rounded = -(-after // _STEP) * _STEP
    return rounded if rounded <= _MOST else highest


def _highest(connection: Connection, table: str, embedded: bool) -> int:
    if embedded:
        query = "SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = :name"
        last = connection.scalar(text(query), {"name": table})
    else:
        name = connection.scalar(
            text("SELECT pg_get_serial_sequence(:name, 'id')"), {"name": table}
        )
        last = connection.scalar(
            text(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {name}")
        )
    return max(int(last or 0), connection.scalar(text(f"SELECT MAX(id) FROM {table}")) or 0)
