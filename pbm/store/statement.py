"""A statement written in SQLAlchemy's language, compiled once, and run by the driver itself.

SQLAlchemy's own way to run a statement costs many times what the driver needs, and a turn runs some
fifteen of them. The SQL and the conversion of values are SQLAlchemy's here, too.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import JSON, Delete, Insert, Select, Table, Update, bindparam, update
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from pbm.store.driver import Call
from pbm.store.together import reach_of
from pbm.store.transaction import Leaves, Transaction, may_wait

Built = Select[Any] | Insert | Update | Delete
Convert = Callable[[Any], Any] | None


class Statement:
    """A statement whose values stand in it as `bindparam`, for every database that we know.

    No lists may be bound (`in_(bindparam(..., expanding=True))`), since they change the SQL; for
    numbers there is `among`.
    """

    def __init__(self, built: Built) -> None:
        self._built = built
        self._reach = reach_of(built)
        self._compiled: dict[str, _Compiled] = {}
        self.may_wait = may_wait(built)

    def rows(self, transaction: Transaction, **values: Any) -> list[dict[str, Any]]:
        """All rows, each by the names of its columns. Raises DBAPIError, and WouldWaitError."""
        (rows,) = rows_of(transaction, (self, values))
        if self._reach:
            transaction.note_written(self._reach.target, None)
        return rows

    def row(self, transaction: Transaction, **values: Any) -> dict[str, Any] | None:
        """The first row, None if there is none. Raises DBAPIError."""
        return next(iter(self.rows(transaction, **values)), None)

    def value(self, transaction: Transaction, **values: Any) -> Any:
        """The first column of the first row, None if there is no row. Raises DBAPIError."""
        row = self.row(transaction, **values)
        return next(iter(row.values())) if row else None

    def run(
        self, transaction: Transaction, *sets: Mapping[str, Any], leaves: Leaves | None = None
    ) -> None:
        """Let what gives nothing back be run for each set of values, when the transaction next
        asks for anything or ends, and raise DBAPIError there. `leaves` as in
        `Transaction.execute`. Raises WouldWaitError.
        """
        assert self._reach
        compiled = self.compiled_for(transaction)
        bound = [compiled.bound(values) for values in sets]
        transaction.write(compiled.sql, bound, self._reach, leaves=leaves)
        if self.may_wait:
            transaction.have_waited()

    def compiled_for(self, transaction: Transaction) -> "_Compiled":
        """What it is for a transaction's database. Raises WouldWaitError."""
        if self.may_wait:
            transaction.check_may_wait(self._built)
        dialect = transaction.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = _Compiled(self._built, dialect)
        return compiled


def rows_of(
    transaction: Transaction, *asked: tuple[Statement, Mapping[str, Any]]
) -> list[list[dict[str, Any]]]:
    """All rows of several statements, asked together. Raises DBAPIError, and WouldWaitError."""
    compiled = [(statement.compiled_for(transaction), values) for statement, values in asked]
    found = transaction.read(*(Call(one.sql, (one.bound(values),)) for one, values in compiled))
    if any(statement.may_wait for statement, _ in asked):
        transaction.have_waited()
    return [[one.read(row) for row in rows] for (one, _), rows in zip(compiled, found, strict=True)]


class ColumnSetter:
    """Writes columns of the row with a number, by one statement for each choice of columns."""

    def __init__(self, table: Table, options: Mapping[str, Any] = MappingProxyType({})) -> None:
        """`options` are those of each statement."""
        self._table = table
        self._options = options
        self._statements: dict[tuple[str, ...], Statement] = {}

    def run(
        self, transaction: Transaction, number: int, columns: Mapping[str, Any], leaves: Leaves
    ) -> None:
        """Let columns be written, as `Statement.run` does."""
        names = tuple(sorted(columns))
        statement = self._statements.get(names)
        if statement is None:
            setting = update(self._table).values({name: bindparam(name) for name in names})
            its_row = setting.where(self._table.c.id == bindparam("number"))
            statement = Statement(its_row.execution_options(**self._options))
            self._statements[names] = statement
        statement.run(transaction, {**columns, "number": number}, leaves=leaves)


class _Compiled:
    """What a statement is for one database."""

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
        """The values as the driver takes them; what is missing or unknown is a bug."""
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
        """A row of the driver's with the values that the columns' types give back."""
        found = dict(zip(self._names, row, strict=True))
        for name, convert in self._converts:
            found[name] = convert(found[name])
        return found


def _conversion(kind: TypeEngine[Any], dialect: Dialect) -> Convert:
    """How a value is given to the driver: as it is by now, whatever becomes of it until the driver
    sends it."""
    convert = kind.dialect_impl(dialect).bind_processor(dialect)
    if convert is None or not isinstance(kind, JSON) or dialect.name == "sqlite":
        return convert

    def written(value: Any) -> str | None:
        wrapped = convert(value)  # which the driver would write when it sends it
        return None if wrapped is None else json.dumps(wrapped.obj)

    return written
