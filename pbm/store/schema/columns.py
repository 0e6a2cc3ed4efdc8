"""Building blocks of tables: column types, words of partial indexes, names of constraints.

Columns hold plain values only: times are aware UTC, parameters are JSON.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
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

from pbm.store.values.mails import Kind


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite would lose the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any]:
        """Refuse naive datetimes; store UTC."""
        return _utc_text if dialect.name == "sqlite" else _utc

    def result_processor(
        self, dialect: Dialect, _coltype: object
    ) -> Callable[[Any], datetime | None]:
        """Return UTC."""
        return _from_utc_text if dialect.name == "sqlite" else _utc


class MailKind(TypeDecorator[Kind]):
    """A kind of mail, stored as its value."""

    impl = String(10)
    cache_ok = True

    def process_bind_param(self, value: Kind | None, _dialect: Dialect) -> str | None:
        """Store the value."""
        return value.value if value else None

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Kind | None:
        """Return the kind."""
        return Kind.stored(value) if value else None


def _utc(moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise ValueError("a stored moment must be aware")
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def _utc_text(moment: datetime | None) -> str | None:
    """SQLAlchemy's format for SQLite, without a zone."""
    utc = _utc(moment)
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
