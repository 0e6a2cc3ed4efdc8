"""Marks of tables, which tell how to erase and export a player's data.

`repositories/personal_data.py` erases and exports by these marks.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Column, Index, Table, UniqueConstraint

from pbm.store.schema.columns import metadata

_MARK = "personal"


class DeleteRows(NamedTuple):
    """Marks a table. When a player's data are erased, the player's rows in it are deleted."""

    only: Mapping[str, Any] = MappingProxyType({})  # their column values; empty for all


_ALL_ROWS = DeleteRows()


class BlankColumns(NamedTuple):
    """Marks a table. When a player's data are erased, the player's rows in it are overwritten."""

    values: Mapping[str, Any]  # new values by column


class ErasedBy(str):
    """Marks a table. The function of this name erases a player's data in it."""


class KeepRows(str):
    """Marks a table. For this reason its rows are kept when a player's data are erased."""


class ExportRows(NamedTuple):
    """Marks a table. The export of a player's data lists the player's rows in it under `key`."""

    key: str
    columns: Mapping[str, str] | str  # columns by export name, or a single column


class ExportedBy(NamedTuple):
    """Marks a table. The function `everything_about` exports a player's rows in it under `key`."""

    key: str


class NotExported(str):
    """Marks a table. For this reason the export of a player's data leaves out its rows."""


@dataclass(frozen=True)
class Personal:
    """Tells in which columns a table names a player, and how to erase and export its rows."""

    numbers: tuple[str, ...] = ()  # columns with a player's number; the export uses only the first
    _: KW_ONLY
    export: ExportRows | ExportedBy | NotExported
    erasure: DeleteRows | BlankColumns | ErasedBy | KeepRows = _ALL_ROWS
    addresses: tuple[str, ...] = ()  # columns with a mail address, in upper or lower case
    hidden: tuple[str, ...] = ()  # columns with a longer text that contains a mail address


def table(
    name: str,
    *parts: Column[Any] | Index | UniqueConstraint,
    mark: Personal | None,
    sqlite_autoincrement: bool = False,
) -> Table:
    """Add a table to `metadata`. A table without personal data has no mark: `mark` is None."""
    info = {_MARK: mark}
    return Table(name, metadata, *parts, info=info, sqlite_autoincrement=sqlite_autoincrement)


def mark_of(table: Table) -> Personal | None:
    """Return the mark that was passed to `table`. Raises KeyError for a table made otherwise."""
    mark: Personal | None = table.info[_MARK]
    return mark
