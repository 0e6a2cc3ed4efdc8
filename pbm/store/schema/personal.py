"""Marks of tables: `info=personal(...)` if the table has personal data, else `info=IMPERSONAL`.

`pbm/store/repositories/personal_data.py` erases and exports by these marks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Table

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

    erasure: DeleteRows | BlankColumns | ErasedBy | KeepRows
    export: ExportRows | ExportedBy | NotExported
    numbers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


IMPERSONAL: dict[str, Personal | None] = {_MARK: None}
"""The mark of a table without personal data."""


def personal(
    *numbers: str,
    export: ExportRows | ExportedBy | NotExported,
    erasure: DeleteRows | BlankColumns | ErasedBy | KeepRows = DeleteRows(),
    addresses: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
) -> dict[str, Personal | None]:
    """The `info` of a table with personal data; see `Personal`."""
    return {_MARK: Personal(erasure, export, numbers, addresses, hidden)}


def mark_of(table: Table) -> Personal | None:
    """A table's mark, None if it has no personal data. Raises KeyError for an unmarked table."""
    mark: Personal | None = table.info[_MARK]
    return mark
