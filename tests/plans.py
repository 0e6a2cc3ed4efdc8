"""How a database means to find what a statement asks for."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import psycopg
from sqlalchemy import Connection

from pbm.store.db import Database

Asked = tuple[str, Any]  # SQL as the driver takes it, and its values
_VERBS = ("SELECT", "UPDATE", "INSERT", "DELETE")
_MANY = 500  # rows; a smaller table is read whole for good reasons
_PLACE = re.compile(r"%\((\w+)\)s")
_PARTIAL = "(in|out)box_(waiting|place|stuck|due|failed)|due_(next|stuck)|seeks_open"


def read_whole(
    database: Database, statements: Iterable[Asked], tables: Collection[str]
) -> list[str]:
    """The statements that read one of these tables, or an index of it, from end to end.

    What a partial index leaves is read whole as a rule: it holds only what waits.
    """
    wrong = []
    with database.engine.connect() as connection:
        look = _sqlite if database.embedded else _Postgres(connection, tables).wrong
        for sql, values in statements:
            if sql.startswith(_VERBS) and (found := list(look(connection, sql, values))):
                wrong.append(f"{' '.join(sql.split())} -- {found}")
    return wrong


def _sqlite(connection: Connection, sql: str, values: Any) -> Iterator[str]:
    if sql.startswith("INSERT"):
        return  # what stands in its plan is what rows refer to it, if any were deferred
    for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values):
        step = str(row[-1])
        partial = re.search(rf"USING INDEX ix_({_PARTIAL})$", step)
        # The rows of a subquery are those that it has found itself, by steps of its own; those of
        # json_each are the statement's values.
        if re.match(r"SCAN (?!CONSTANT|\(|anon_|json_each )", step) and not partial:
            yield step


def generic_plan(
    driver: psycopg.Connection[Any], sql: str, values: Any, explain: str = "EXPLAIN (FORMAT JSON)"
) -> Any:
    """PostgreSQL's plan of a statement that is kept once it was run often."""
    names = list(dict.fromkeys(_PLACE.findall(sql)))
    numbered = _PLACE.sub(lambda it: f"${names.index(it[1]) + 1}", sql).replace("%%", "%")
    with psycopg.ClientCursor(driver) as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"PREPARE asked AS {numbered}".encode())
        places = f"({', '.join(['%s'] * len(names))})" if names else ""
        asked = f"{explain} EXECUTE asked{places}".encode()
        found = cursor.execute(asked, [values[name] for name in names]).fetchone()
        cursor.execute("DEALLOCATE asked")
        cursor.execute("SET LOCAL plan_cache_mode = auto")
    return found


class _Postgres:
    """Plans of PostgreSQL, for the very values and for any."""

    def __init__(self, connection: Connection, tables: Collection[str]) -> None:
        driver: Any = connection.connection.driver_connection
        self._driver: psycopg.Connection[Any] = driver
        self._partial = {
            name
            for (name,) in driver.execute(
                "SELECT indexrelid::regclass::text FROM pg_index WHERE indpred IS NOT NULL"
            )
        }
        self._large = {
            name
            for name, rows in driver.execute("SELECT relname, reltuples FROM pg_class")
            if name in tables and rows >= _MANY
        }
        assert self._large

    def wrong(self, _connection: Connection, sql: str, values: Any) -> Iterator[str]:
        """What is read whole."""
        if "ON CONFLICT" in sql or "pg_" in sql:
            return  # finds its row by the index that it names
        with self._driver.cursor() as cursor:
            explained = cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", values).fetchone()
        yield from self._in(explained, "these values")
        yield from self._in(generic_plan(self._driver, sql, values), "any values")

    def _in(self, explained: Any, whose: str) -> Iterator[str]:
        nodes = [explained[0][0]["Plan"]]
        while nodes:
            node = nodes.pop()
            nodes += node.get("Plans", [])
            kind, index = node["Node Type"], node.get("Index Name")
            if kind == "Seq Scan" and node["Relation Name"] in self._large:
                yield f"{whose}: {node['Relation Name']}"
            if index and "Index Cond" not in node and index not in self._partial:
                yield f"{whose}: all of {index}"
