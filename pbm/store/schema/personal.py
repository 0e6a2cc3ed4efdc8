"""Marks of tables, which tell `repositories/personal_data.py` how to erase and export rows."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from sqlalchemy import Column, Index, Table, UniqueConstraint

from pbm.store.schema.columns import metadata

_MARK = "personal"


@dataclass(frozen=True)
class DeleteRows:
    """A mark: erasure deletes the player's rows that have the column values in `only`."""

    only: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BlankColumns:
    """A mark: erasure overwrites the player's rows; `values` maps columns to new values."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class ErasedBy:
    """A mark: the named function erases the personal data in the player's rows."""

    function: str


@dataclass(frozen=True)
class KeepRows:
    """A mark: erasure leaves the rows as they are; `why` is the reason."""

    why: str


@dataclass(frozen=True)
class ExportRows:
    """A mark: the export lists the player's rows under `key`.

    `columns` maps export names to columns. If it is one column's name, bare values are listed.
    """

    key: str
    columns: Mapping[str, str] | str


@dataclass(frozen=True)
class ExportedBy:
    """A mark: the function `everything_about` of `pbm/commands` exports the rows under `key`."""

    key: str


@dataclass(frozen=True)
class NotExported:
    """A mark: the export leaves the rows out; `why` is the reason."""

    why: str


@dataclass(frozen=True)
class Personal:
    """A table's mark: in which columns a player is named, and what erasure and export do."""

    numbers: tuple[str, ...] = ()  # columns with a player's number; the export uses only the first
    _: KW_ONLY
    export: ExportRows | ExportedBy | NotExported
    erasure: DeleteRows | BlankColumns | ErasedBy | KeepRows = DeleteRows()
    addresses: tuple[str, ...] = ()  # columns with a mail address, in upper or lower case
    hidden: tuple[str, ...] = ()  # columns with a longer text that contains a mail address


def table(
    name: str,
    *parts: Column[Any] | Index | UniqueConstraint,
    mark: Personal | None,
    sqlite_autoincrement: bool = False,
) -> Table:
    """Add a table to `metadata`; `mark` is None for a table without personal data."""
    info = {_MARK: mark}
    return Table(name, metadata, *parts, info=info, sqlite_autoincrement=sqlite_autoincrement)


def mark_of(table: Table) -> Personal | None:
    """Return the `mark` passed to `table`, which may be None. Raises KeyError for other tables."""
    mark: Personal | None = table.info[_MARK]
    return mark
