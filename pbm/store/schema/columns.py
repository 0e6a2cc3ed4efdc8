"""Building blocks of tables: types of columns, conditions of partial indexes, and names."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    ForeignKey,
    Integer,
    MetaData,
    String,
    TextClause,
    literal_column,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from pbm.plain import to_plain


class Moment(TypeDecorator[datetime]):
    """The type of a column of UTC datetimes. A datetime without time zone raises ValueError."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any]:
        return _utc_text if dialect.name == "sqlite" else _utc_or_none

    def result_processor(
        self, dialect: Dialect, _coltype: object
    ) -> Callable[[Any], datetime | None]:
        return _from_utc_text if dialect.name == "sqlite" else _utc_or_none


class Word(TypeDecorator[Any]):
    """The type of a text column. `kind`, such as an enum class, converts the stored text."""

    impl = String
    cache_ok = True

    def __init__(self, kind: Callable[[str], Any], length: int) -> None:
        super().__init__(length)
        self.kind, self.length = kind, length

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Any:
        return None if value is None else self.kind(value)


class JsonOf(TypeDecorator[Any]):
    """The type of a JSON column. `plain` converts a value to JSON, and `kind` converts it back."""

    impl = JSON
    cache_ok = True

    def __init__(self, kind: Callable[[Any], Any], plain: Callable[[Any], Any] = to_plain) -> None:
        super().__init__(none_as_null=True)
        self.kind, self.plain = kind, plain

    def process_bind_param(self, value: Any, _dialect: Dialect) -> Any:
        return None if value is None else self.plain(value)

    def process_result_value(self, value: Any, _dialect: Dialect) -> Any:
        return None if value is None else self.kind(value)


def _utc_or_none(moment: datetime | None) -> datetime | None:
    if moment is None or moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise ValueError("a stored moment must be aware")
    return moment.astimezone(UTC)


def _utc_text(moment: datetime | None) -> str | None:
    """Return a moment as text in SQLAlchemy's format for SQLite, without a zone."""
    utc = _utc_or_none(moment)
    return None if utc is None else utc.isoformat(" ", "microseconds").removesuffix("+00:00")


def _from_utc_text(text: str | None) -> datetime | None:
    return datetime.fromisoformat(f"{text}+00:00") if text else None


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Values of `status` in partial indexes. If they were bound, PostgreSQL's generic plans would not
# use the index, and SQLite would prepare the statement each time.
NEW, STUCK = (literal_column(f"'{word}'", String) for word in ("new", "stuck"))
DUE, FAILED = (literal_column(f"'{word}'", String) for word in ("due", "failed"))
OPEN, UNSENT = (literal_column(f"'{word}'", String) for word in ("open", "unsent"))


def only_where(condition: TextClause, on_postgresql: TextClause | None = None) -> dict[str, Any]:
    """Return options of a partial `Index`. PostgreSQL uses `on_postgresql` if it is given."""
    there = condition if on_postgresql is None else on_postgresql
    return {"sqlite_where": condition, "postgresql_where": there}


def where_it_waits(word: str, column: str) -> dict[str, Any]:
    """Return the options of a partial `Index` on `column` for rows with the status `word`."""
    # PostgreSQL estimates the index as empty. `asked_for` limits it to queries about the column.
    waits = f"status = '{word}'"
    asked_for = text(f"{waits} AND {column} IS NOT NULL")
    return only_where(text(waits), asked_for)


def identity() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def to(target: str, name: str, **options: Any) -> Column[int]:
    """Return a column named `name`, which is a foreign key to the `id` of the table `target`."""
    return Column(name, Integer, ForeignKey(f"{target}.id"), **options)
