"""A statement written in SQLAlchemy's language, compiled once, and run by the driver itself.

Running a statement by SQLAlchemy costs many times what the driver needs, and a turn runs some
fifteen of them. SQLAlchemy still compiles the SQL and converts the values.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import JSON, Delete, Insert, Select, Table, Update, bindparam, update
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.visitors import iterate
from sqlalchemy.types import TypeEngine

from pbm.store.sql.driver import Call
from pbm.store.sql.transaction import Key, Rows, Transaction

Built = Select[Any] | Insert | Update | Delete
Read = tuple["Statement", Mapping[str, Any]]
"""A statement with its values."""
Convert = Callable[[Any], Any] | None


class Statement:
    """A statement with its values as `bindparam`, for every supported database.

    No lists may be bound (`in_(bindparam(..., expanding=True))`), since they change the SQL.
    """

    def __init__(self, built: Built) -> None:
        self._built = built
        self._compiled: dict[str, _Compiled] = {}
        self._writes = isinstance(built, UpdateBase)
        self._locks = getattr(built, "_for_update_arg", None) is not None

    @cached_property
    def tables(self) -> frozenset[str]:
        """The table that it writes, or those that it reads."""
        if isinstance(self._built, UpdateBase):
            return frozenset({getattr(self._built.table, "name", "")})
        return frozenset(item.name for item in iterate(self._built) if isinstance(item, Table))

    def rows(self, transaction: Transaction, **values: Any) -> Rows:
        """All rows by column names; callers must not change them. Raises DBAPIError."""
        return rows_of(transaction, (self, values))[0]

    def row(self, transaction: Transaction, **values: Any) -> dict[str, Any] | None:
        """The first row, None if there is none. Raises DBAPIError."""
        return next(iter(self.rows(transaction, **values)), None)

    def value(self, transaction: Transaction, **values: Any) -> Any:
        """The first column of the first row, None if there is no row. Raises DBAPIError."""
        row = self.row(transaction, **values)
        return next(iter(row.values())) if row else None

    def run(self, transaction: Transaction, *sets: Mapping[str, Any]) -> None:
        """Buffer a write that returns nothing, for each set of values.

        The transaction's next read or its end runs the write, and raises DBAPIError.
        """
        compiled = self._compiled_for(transaction)
        bound = [compiled.bound(values) for values in sets]
        transaction.write(Call(compiled.sql, bound), self.tables)

    def _compiled_for(self, transaction: Transaction) -> "_Compiled":
        dialect = transaction.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = _Compiled(self._built, dialect)
        return compiled

    def _key(self, values: Mapping[str, Any]) -> Key | None:
        """The cache key of its rows; None if it writes or locks."""
        if self._writes or self._locks:
            return None
        key = (self, *values.items())
        try:
            hash(key)
        except TypeError:  # a list
            return None
        return key


def rows_of(transaction: Transaction, *reads: Read) -> list[Rows]:
    """All rows of several statements; uncached ones share a round trip. Raises DBAPIError."""
    if any(statement._locks for statement, _ in reads):
        transaction.cache.clear()  # others may commit during the wait for the lock
    cache = transaction.cache
    keys = [statement._key(values) for statement, values in reads]
    found = [None if key is None else cache.get(key) for key in keys]
    asked = [place for place, rows in enumerate(found) if rows is None]
    if asked:
        compiled = [reads[place][0]._compiled_for(transaction) for place in asked]
        calls = [
            Call(one.sql, (one.bound(reads[place][1]),))
            for one, place in zip(compiled, asked, strict=True)
        ]
        for place, one, raw in zip(asked, compiled, transaction.run(*calls), strict=True):
            found[place] = rows = [one.read(row) for row in raw]
            statement, key = reads[place][0], keys[place]
            if key is not None:
                cache.keep(key, statement.tables, rows)
            elif statement._writes:
                cache.forget_tables(statement.tables)
    return [rows or () for rows in found]


class ColumnSetter:
    """Updates columns of a row by its number; each set of columns has one cached statement."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._statements: dict[tuple[str, ...], Statement] = {}

    def run(self, transaction: Transaction, number: int, columns: Mapping[str, Any]) -> None:
        """Buffer an update of columns, as `Statement.run` does."""
        names = tuple(sorted(columns))
        statement = self._statements.get(names)
        if statement is None:
            setting = update(self._table).values({name: bindparam(name) for name in names})
            statement = Statement(setting.where(self._table.c.id == bindparam("number")))
            self._statements[names] = statement
        statement.run(transaction, {**columns, "number": number})


class _Compiled:
    """A statement compiled for one database."""

    def __init__(self, built: Built, dialect: Dialect) -> None:
        compiled = built.compile(dialect=dialect)
        assert isinstance(compiled, SQLCompiler)
        self.sql = str(compiled)
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        self._is_ordered = compiled.positiontup is not None
        self._wanted = {name for name, bind in binds.items() if bind.required}
        fixed = {name: bind.value for name, bind in binds.items() if not bind.required}
        self._fixed = fixed
        self._binds: list[tuple[str, Convert]] = [
            (name, _conversion(binds[name].type, dialect)) for name in compiled.positiontup or binds
        ]
        self._names = [str(column.key) for column in built.exported_columns]
        found = (
            (str(column.key), column.type.dialect_impl(dialect).result_processor(dialect, None))
            for column in built.exported_columns
        )
        self._converts = [(name, convert) for name, convert in found if convert]

    def bound(self, values: Mapping[str, Any]) -> tuple[Any, ...] | dict[str, Any]:
        """The values in the driver's form. A missing or unknown value is a bug."""
        if values.keys() != self._wanted:
            raise TypeError(f"values for {sorted(self._wanted)} are wanted, not {sorted(values)}")
        given = {**values, **self._fixed} if self._fixed else values
        if not self._is_ordered:
            return {
                name: convert(given[name]) if convert else given[name]
                for name, convert in self._binds
            }
        return tuple(
            [convert(given[name]) if convert else given[name] for name, convert in self._binds]
        )

    def read(self, row: Sequence[Any]) -> dict[str, Any]:
        """A driver's row with values converted by the columns' types."""
        found = dict(zip(self._names, row, strict=True))
        for name, convert in self._converts:
            found[name] = convert(found[name])
        return found


def _conversion(kind: TypeEngine[Any], dialect: Dialect) -> Convert:
    """The converter of a value for the driver; JSON is serialised at once, before it can change."""
    convert = kind.dialect_impl(dialect).bind_processor(dialect)
    if convert is None or not isinstance(kind, JSON) or dialect.name == "sqlite":
        return convert

    def written(value: Any) -> str | None:
        wrapped = convert(value)  # the driver would serialise it when it sends it
        return None if wrapped is None else json.dumps(wrapped.obj)

    return written
