"""Whether a column holds one of some numbers or words, which are bound as one value."""

import json
from collections.abc import Callable, Collection
from typing import Any, Self

from sqlalchemy import Boolean, ColumnElement, String, bindparam
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeDecorator, TypeEngine


class _Several(TypeDecorator[Collection[Any]]):
    impl = String
    cache_ok = True

    def __init__(self, kind: TypeEngine[Any]) -> None:
        super().__init__()
        self.kind = kind

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """An array in PostgreSQL, and JSON in SQLite."""
        return String() if dialect.name == "sqlite" else ARRAY(self.kind)

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """As each of them has it."""
        return _as_json if dialect.name == "sqlite" else list


def _as_json(values: Collection[Any]) -> str:
    return json.dumps(list(values))


class among(ColumnElement[bool]):  # noqa: N801 - it stands in queries, as SQLAlchemy's words do
    """Whether a column holds one of the numbers, or words, that a statement takes under a name."""

    inherit_cache = False
    type = Boolean()

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        self.column = column
        kind = column.type
        # No longest length: PostgreSQL would cut a longer word, which then may be another.
        kind = String() if isinstance(kind, String) else kind
        self.values = bindparam(name, type_=_Several(kind))

    def self_group(self, against: Any = None) -> Self:
        """As it is: SQLite finds no index for `… = 1`, which SQLAlchemy would write there."""
        del against
        return self


@compiles(among, "sqlite")
def _for_sqlite(element: among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = _written(element, compiler, options)
    return f"{column} IN (SELECT value FROM json_each({values}))"


@compiles(among, "postgresql")
def _for_postgresql(element: among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = _written(element, compiler, options)
    return f"{column} = ANY({values})"


def _written(element: among, compiler: SQLCompiler, options: dict[str, Any]) -> tuple[str, str]:
    return compiler.process(element.column, **options), compiler.process(element.values, **options)
