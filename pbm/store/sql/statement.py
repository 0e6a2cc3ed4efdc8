"""A statement written in SQLAlchemy's language, compiled once, and run by the driver itself.

SQLAlchemy compiles the SQL and converts the values. If SQLAlchemy also ran it, this would take many
times longer, and handling a mail needs some fifteen statements.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import (
    ARRAY,
    JSON,
    Boolean,
    ColumnElement,
    Delete,
    Float,
    Insert,
    Select,
    String,
    Table,
    TypeDecorator,
    Update,
    bindparam,
    update,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.visitors import iterate
from sqlalchemy.types import TypeEngine

from pbm.store.sql.driver import Call
from pbm.store.sql.jsons import dumps
from pbm.store.sql.transaction import Key, Rows, Transaction

Built = Select[Any] | Insert | Update | Delete
Read = tuple["Statement", Mapping[str, Any]]  # with the values for its parameters by name
Convert = Callable[[Any], Any] | None


class Statement:
    """A statement that is compiled once for each database. Its values are given at each run.

    For a list of values use `among`. The SQL of `in_` depends on the length of the list.
    """

    def __init__(self, built: Built) -> None:
        self._built = built
        self._compiled: dict[str, _Compiled] = {}
        self._writes = isinstance(built, UpdateBase)
        self._locks = getattr(built, "_for_update_arg", None) is not None

    @cached_property
    def tables(self) -> frozenset[str]:
        """The names of the tables that a query reads, or of the one table that is written to."""
        if isinstance(self._built, UpdateBase):
            return frozenset({getattr(self._built.table, "name", "")})
        return frozenset(item.name for item in iterate(self._built) if isinstance(item, Table))

    def rows(self, transaction: Transaction, **values: Any) -> Rows:
        """Run a query, and return all rows. Callers must not change them. Raises DBAPIError."""
        return rows_of(transaction, (self, values))[0]

    def row(self, transaction: Transaction, **values: Any) -> dict[str, Any] | None:
        return next(iter(self.rows(transaction, **values)), None)

    def value(self, transaction: Transaction, **values: Any) -> Any:
        """Return the first row's first column, or None if there is no row. Raises DBAPIError."""
        row = self.row(transaction, **values)
        return next(iter(row.values())) if row else None

    def run(self, transaction: Transaction, *sets: Mapping[str, Any]) -> None:
        """Buffer a write for each set of values.

        The next read or the transaction's end sends the writes and raises their errors.
        """
        compiled = self._compiled_for(transaction.dialect)
        bound = [compiled.bound(values) for values in sets]
        transaction.write(Call(compiled.sql, bound), self.tables)

    def _compiled_for(self, dialect: Dialect) -> "_Compiled":
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = _Compiled(self._built, dialect)
        return compiled

    def _key(self, values: Mapping[str, Any]) -> Key | None:
        """Return the key under which the rows are cached, or None if they are not cached."""
        if self._writes:
            return None
        key = (self, *values.items())
        try:
            hash(key)
        except TypeError:  # a list
            return None
        return key


def rows_of(transaction: Transaction, *reads: Read) -> list[Rows]:
    """Return each query's rows, in one round trip. Queries that lock rows must come first."""
    cache = transaction.cache
    found: list[Rows] = []
    asked: list[tuple[int, Statement, _Compiled, Key | None]] = []
    calls: list[Call] = []
    for statement, values in reads:
        if statement._locks:
            cache.clear()  # others may commit during the wait for the lock; and it is not cached
        key = statement._key(values)
        rows = None if key is None else cache.get(key)
        if rows is None:
            compiled, rows = statement._compiled_for(transaction.dialect), ()
            asked.append((len(found), statement, compiled, key))
            calls.append(Call(compiled.sql, (compiled.bound(values),)))
        found.append(rows)
    raws = transaction.run(*calls) if calls else ()
    for (place, statement, compiled, key), raw in zip(asked, raws, strict=True):
        found[place] = compiled.read(raw)
        if key is not None:
            cache.keep(key, statement.tables, found[place])
        elif statement._writes:
            cache.forget_tables(statement.tables)
    return found


class ColumnSetter:
    """An update of some columns of one row. It is compiled once for each combination of columns."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._statements: dict[tuple[str, ...], Statement] = {}

    def run(self, transaction: Transaction, number: int, columns: Mapping[str, Any]) -> None:
        """Buffer an update of the row whose `id` is `number`. `Statement.run` explains this."""
        names = tuple(sorted(columns))
        statement = self._statements.get(names)
        if statement is None:
            setting = update(self._table).values({name: bindparam(name) for name in names})
            statement = Statement(setting.where(self._table.c.id == bindparam("number")))
            self._statements[names] = statement
        statement.run(transaction, {**columns, "number": number})


class BoundList(TypeDecorator[Sequence[Any]]):
    """The type of a list that is bound as one value: an array on PostgreSQL, JSON on SQLite."""

    impl = String
    cache_ok = False

    def __init__(self, item: TypeEngine[Any]) -> None:
        super().__init__()
        self._item = item

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return String()
        # A cast to a bounded VARCHAR would cut longer values.
        return ARRAY(String() if isinstance(self._item, String) else self._item)

    def process_bind_param(self, value: Sequence[Any] | None, dialect: Dialect) -> Any:
        return dumps(value) if dialect.name == "sqlite" else value


class among(ColumnElement[bool]):  # noqa: N801 - written like a function of SQL
    """An SQL condition: a column's value is in the list that is bound to the parameter `name`."""

    type = Boolean()
    inherit_cache = False
    _is_implicitly_boolean = True

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        self.column = column
        self.values = bindparam(name, type_=BoundList(column.type))


@compiles(among)
def _among(element: among, compiler: SQLCompiler, **options: Any) -> str:
    column = compiler.process(element.column, **options)
    values = compiler.process(element.values, **options)
    if compiler.dialect.name == "sqlite":
        return f"{column} IN (SELECT value FROM json_each({values}))"
    return f"{column} = ANY ({values})"


class _Compiled:
    def __init__(self, built: Built, dialect: Dialect) -> None:
        compiled = built.compile(dialect=dialect)
        assert isinstance(compiled, SQLCompiler)
        self.sql = str(compiled)
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        self._is_ordered = compiled.positiontup is not None
        self._wanted = {name for name, bind in binds.items() if bind.required}
        self._fixed = {name: bind.value for name, bind in binds.items() if not bind.required}
        self._binds: list[tuple[str, Convert]] = [
            (name, _conversion(binds[name].type, dialect)) for name in compiled.positiontup or binds
        ]
        self._names = [str(column.key) for column in built.exported_columns]
        found = (
            (str(column.key), column.type.dialect_impl(dialect).result_processor(dialect, None))
            for column in built.exported_columns
            if not isinstance(column.type, Float)  # whose processor asks for the driver's type
        )
        self._converts = [(name, convert) for name, convert in found if convert]

    def bound(self, values: Mapping[str, Any]) -> tuple[Any, ...] | dict[str, Any]:
        """Return the values as the driver needs them. Raises TypeError if names are wrong."""
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

    def read(self, raw: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
        rows = [dict(zip(self._names, row, strict=True)) for row in raw]
        for name, convert in self._converts:
            for row in rows:
                if row[name] is not None:
                    row[name] = convert(row[name])
        return rows


def _conversion(kind: TypeEngine[Any], dialect: Dialect) -> Convert:
    """Return the function that converts values for the driver. It encodes JSON at once."""
    convert = kind.dialect_impl(dialect).bind_processor(dialect)
    if convert is None or not isinstance(kind, JSON) or dialect.name == "sqlite":
        return convert

    def written(value: Any) -> str | None:
        wrapped = convert(value)
        return None if wrapped is None else dumps(wrapped.obj)

    return written
