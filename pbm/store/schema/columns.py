"""What tables are made of: kinds of columns, words of partial indexes, the naming of constraints.

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
    literal_column,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from pbm.store.kinds import Kind


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime on every database (SQLite alone would forget the zone)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any]:
        """Refuse naive datetimes; store UTC."""
        return _utc_text if dialect.name == "sqlite" else _utc

    def result_processor(
        self,
        dialect: Dialect,
        coltype: object,  # noqa: ARG002 - SQLAlchemy gives it
    ) -> Callable[[Any], datetime | None]:
        """Give UTC back."""
        return _from_utc_text if dialect.name == "sqlite" else _utc


class MailKind(TypeDecorator[Kind]):
    """A kind of mail, as its word."""

    impl = String(10)
    cache_ok = True

    def process_bind_param(
        self,
        value: Kind | None,
        dialect: Dialect,  # noqa: ARG002 - SQLAlchemy gives it
    ) -> str | None:
        """Store the word."""
        return value.value if value else None

    def process_result_value(
        self,
        value: str | None,
        dialect: Dialect,  # noqa: ARG002 - SQLAlchemy gives it
    ) -> Kind | None:
        """Give the kind back."""
        return Kind.stored(value) if value else None


def _utc(moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise ValueError("a stored moment must be aware")
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def _utc_text(moment: datetime | None) -> str | None:
    """As SQLAlchemy writes it into SQLite, without a zone."""
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
"""Words that partial indexes are made for. They stand in the SQL itself: with a bound value in
their place PostgreSQL's generic plans know no such index, and SQLite prepares each time anew."""


def where_it_waits(word: str, column: str) -> dict[str, Any]:
    """Makes an index one of the rows that wait; on PostgreSQL only who asks for `column` gets it.

    PostgreSQL takes each index of what waits for empty, and so any of them for as good as
    another: it would look for the mails of one lane among those of all.
    """
    waits = f"status = '{word}'"
    asked_for = text(f"{waits} AND {column} IS NOT NULL")
    return {"sqlite_where": text(waits), "postgresql_where": asked_for}


def identity() -> Column[int]:
    """The number of a row, which the database counts up."""
    return Column("id", Integer, primary_key=True, autoincrement=True)


def to(target: str, name: str, **options: Any) -> Column[int]:
    """The number of a row of another table."""
    return Column(name, Integer, ForeignKey(f"{target}.id"), **options)
