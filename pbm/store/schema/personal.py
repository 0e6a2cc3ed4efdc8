"""Tables with marks, which say how a player's erasure and export treat the rows.

`pbm/store/repositories/personal_data.py` erases and exports by these marks.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from sqlalchemy import Column, Index, Table, UniqueConstraint

from pbm.store.schema.columns import metadata

_MARK = "personal"


@dataclass(frozen=True)
class DeleteRows:
    """Erasure deletes the person's rows, or only those with the values in `only`."""

    only: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BlankColumns:
    """Erasure overwrites these columns in the person's rows."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class ErasedBy:
    """The named function erases what is personal in these rows."""

    function: str


@dataclass(frozen=True)
class KeepRows:
    """Erasure leaves the rows as they are, for this reason."""

    why: str


@dataclass(frozen=True)
class ExportRows:
    """The export has these columns under a key; `columns` maps export names to columns.

    If `columns` is the name of one column, the export has a list of its values.
    """

    key: str
    columns: Mapping[str, str] | str


@dataclass(frozen=True)
class ExportedBy:
    """The export has the rows under this key, by code: `everything_about` in `pbm/commands`."""

    key: str


@dataclass(frozen=True)
class NotExported:
    """The export leaves the rows out, for this reason."""

    why: str


@dataclass(frozen=True)
class Personal:
    """How erasure and export treat a table, and the columns by which they find a player's rows.

    `numbers` have the player's number; the export reads only the first column. `addresses` have
    the player's address, in upper or lower case. `hidden` have the address within a longer text.
    """

    numbers: tuple[str, ...] = ()
    _: KW_ONLY
    export: ExportRows | ExportedBy | NotExported
    erasure: DeleteRows | BlankColumns | ErasedBy | KeepRows = DeleteRows()
    addresses: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


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
    """Return a table's mark, None if it has no personal data. Raises KeyError without a mark."""
    mark: Personal | None = table.info[_MARK]
    return mark
