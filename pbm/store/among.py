"""Whether a column holds one of some numbers, which are bound as one value."""

import json
from collections.abc import Callable, Collection
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Integer, String, bindparam
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeDecorator, TypeEngine


class _Numbers(TypeDecorator[Collection[int]]):
    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """An array in PostgreSQL, and JSON in SQLite."""
        return String() if dialect.name == "sqlite" else ARRAY(Integer)

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:
        """As each of them has it."""
        return _as_json if dialect.name == "sqlite" else list


def _as_json(numbers: Collection[int]) -> str:
    return json.dumps(list(numbers))


class among(ColumnElement[bool]):  # noqa: N801 - it stands in queries, as SQLAlchemy's words do
    """Whether a column holds one of the numbers that a statement takes under a name."""

    inherit_cache = False
    type = Boolean()

    def __init__(self, column: ColumnElement[int], name: str) -> None:
        self.column = column
        self.numbers = bindparam(name, type_=_Numbers)


@compiles(among, "sqlite")
def _for_sqlite(element: among, compiler: SQLCompiler, **options: Any) -> str:
    column, numbers = _written(element, compiler, options)
    return f"{column} IN (SELECT value FROM json_each({numbers}))"


@compiles(among, "postgresql")
def _for_postgresql(element: among, compiler: SQLCompiler, **options: Any) -> str:
    column, numbers = _written(element, compiler, options)
    return f"{column} = ANY({numbers})"


def _written(element: among, compiler: SQLCompiler, options: dict[str, Any]) -> tuple[str, str]:
    return compiler.process(element.column, **options), compiler.process(element.numbers, **options)
