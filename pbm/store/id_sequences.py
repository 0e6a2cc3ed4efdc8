"""ID sequences of boards and players. Reply addresses contain these IDs, so none is reused."""

from collections.abc import Mapping

from sqlalchemy import Connection, inspect, text

from pbm.store.db import Database

NUMBERED = ("boards", "players")
_STEP = 1_000
_MOST = 900_000_000  # reply addresses have room for nine digits


def highest_given(database: Database) -> dict[str, int]:
    """Return, for each table in `NUMBERED`, the highest ID ever issued, or 0. Raises DBAPIError."""
    present = set(inspect(database.engine).get_table_names())
    with database.engine.connect() as connection:
        return {
            table: _highest(connection, table, database.embedded) if table in present else 0
            for table in NUMBERED
        }


def skip_after_restore(database: Database, given: Mapping[str, int]) -> dict[str, int]:
    """Skip all IDs that may have been issued between a backup and its restore.

    Returns each table's next ID. `given` has the highest IDs that are known from another source.
    """
    here = highest_given(database)
    last = {table: last_skipped(max(here[table], given.get(table, 0))) for table in NUMBERED}
    with database.engine.begin() as connection:
        for table, number in last.items():
            values = {"name": table, "number": number}
            if database.embedded:
                connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), values)
                query = "INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :number)"
            else:
                query = "SELECT setval(pg_get_serial_sequence(:name, 'id'), :number)"
            connection.execute(text(query), values)
    return {table: number + 1 for table, number in last.items()}


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
