"""Building blocks of tables: column types, words of partial indexes, names of constraints.

`Moment`, `Word` and `JsonOf` convert plain values, so that a row's values are those of its class.
"""

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
    """An aware UTC datetime; SQLite would lose the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any]:
        """Refuse naive datetimes; store UTC."""
        return _utc_text if dialect.name == "sqlite" else _utc_or_none

    def result_processor(
        self, dialect: Dialect, _coltype: object
    ) -> Callable[[Any], datetime | None]:
        """Return UTC."""
        return _from_utc_text if dialect.name == "sqlite" else _utc_or_none


class Word(TypeDecorator[Any]):
    """A text column read as an enum or the like."""

    impl = String
    cache_ok = True

    def __init__(self, kind: Callable[[str], Any], length: int) -> None:
        super().__init__(length)
        self.kind, self.length = kind, length

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Any:
        """The value of a word; None stays."""
        return None if value is None else self.kind(value)


class JsonOf(TypeDecorator[Any]):
    """A JSON column read by `kind`, and written by `plain`; null is None."""

    impl = JSON
    cache_ok = True

    def __init__(self, kind: Callable[[Any], Any], plain: Callable[[Any], Any] = to_plain) -> None:
        super().__init__(none_as_null=True)
        self.kind, self.plain = kind, plain

    def process_bind_param(self, value: Any, _dialect: Dialect) -> Any:
        """The value as plain JSON; None stays."""
        return None if value is None else self.plain(value)

    def process_result_value(self, value: Any, _dialect: Dialect) -> Any:
        """The value of plain JSON; None stays."""
        return None if value is None else self.kind(value)


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a stored moment must be aware")
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def _utc_or_none(moment: datetime | None) -> datetime | None:
    return None if moment is None else _utc(moment)


def _utc_text(moment: datetime | None) -> str | None:
    """SQLAlchemy's format for SQLite, without a zone."""
    if moment is None:
        return None
    utc = moment if moment.tzinfo is UTC else _utc(moment)
    return utc.isoformat(" ", "microseconds").removesuffix("+00:00")


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

NEW, STUCK = (literal_column(f"'{word}'", String) for word in ("new", "stuck"))
DUE, FAILED = (literal_column(f"'{word}'", String) for word in ("due", "failed"))
OPEN = literal_column("'open'", String)
"""Words of partial indexes, as SQL literals.

With bound values PostgreSQL's generic plans do not use the index, and SQLite prepares the statement
each time.
"""


def only_where(condition: TextClause, on_postgresql: TextClause | None = None) -> dict[str, Any]:
    """Options of a partial index."""
    there = condition if on_postgresql is None else on_postgresql
    return {"sqlite_where": condition, "postgresql_where": there}


def where_it_waits(word: str, column: str) -> dict[str, Any]:
    """Options of a partial index of waiting rows; on PostgreSQL only for queries about `column`.

    PostgreSQL estimates each of these indexes as empty, so that it could choose a wrong one.
    """
    waits = f"status = '{word}'"
    asked_for = text(f"{waits} AND {column} IS NOT NULL")
    return only_where(text(waits), asked_for)


def identity() -> Column[int]:
    """The primary key, an autoincremented number."""
    return Column("id", Integer, primary_key=True, autoincrement=True)


def to(target: str, name: str, **options: Any) -> Column[int]:
    """A foreign key."""
    return Column(name, Integer, ForeignKey(f"{target}.id"), **options)
