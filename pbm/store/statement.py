"""A statement written in SQLAlchemy's language, compiled once, and run by the driver itself.

SQLAlchemy's own way to run a statement costs many times what the driver needs, and a turn runs some
fifteen of them. The SQL and the conversion of values are SQLAlchemy's here, too.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Delete, Insert, Select, Update
from sqlalchemy.engine import Dialect, RowMapping
from sqlalchemy.sql.compiler import SQLCompiler

from pbm.store.transaction import Transaction, WouldWaitError, may_wait

Built = Select[Any] | Insert | Update | Delete
Row = dict[str, Any] | RowMapping
"""A row by the names of its columns, as either way of running a statement gives it."""
Convert = Callable[[Any], Any] | None


class Statement:
    """A statement whose values stand in it as `bindparam`, for every database that we know.

    No lists may be bound (`in_(bindparam(..., expanding=True))`), since they change the SQL.
    """

    def __init__(self, built: Built) -> None:
        self._built = built
        self._compiled: dict[str, _Compiled] = {}
        self._may_wait = may_wait(built)

    def rows(self, transaction: Transaction, **values: Any) -> list[dict[str, Any]]:
        """All rows, each by the names of its columns. Raises DBAPIError, and WouldWaitError."""
        compiled = self._for(transaction)
        rows = transaction.run(compiled.sql, compiled.bound(values))
        return [compiled.read(row) for row in rows]

    def row(self, transaction: Transaction, **values: Any) -> dict[str, Any] | None:
        """The first row, None if there is none. Raises DBAPIError."""
        return next(iter(self.rows(transaction, **values)), None)

    def value(self, transaction: Transaction, **values: Any) -> Any:
        """The first column of the first row, None if there is no row. Raises DBAPIError."""
        row = self.row(transaction, **values)
        return next(iter(row.values())) if row else None

    def run(self, transaction: Transaction, *sets: Mapping[str, Any]) -> None:
        """Run it for each set of values. Raises DBAPIError, and WouldWaitError."""
        compiled = self._for(transaction)
        bound = [compiled.bound(values) for values in sets]
        transaction.run(compiled.sql, bound if len(bound) > 1 else bound[0])

    def _for(self, transaction: Transaction) -> "_Compiled":
        if self._may_wait and transaction.in_group:
            raise WouldWaitError(self._built)
        dialect = transaction.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = _Compiled(self._built, dialect)
        return compiled


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
            (name, binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in compiled.positiontup or binds
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
