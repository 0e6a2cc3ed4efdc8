"""Marks of tables with personal data: `info=personal(...)`, else `info=IMPERSONAL`.

`pbm/store/repositories/personal_data.py` erases and exports by these marks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Table

_MARK = "personal"


@dataclass(frozen=True)
class DeleteRows:
    """Erasure deletes the person's rows; with `only`, those with these values."""

    only: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BlankColumns:
    """Erasure overwrites these columns in the person's rows."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class ErasedBy:
    """Erasure of these rows is code: the named function."""

    function: str


@dataclass(frozen=True)
class KeepRows:
    """Erasure leaves the rows as they are, for this reason."""

    why: str


@dataclass(frozen=True)
class ExportRows:
    """The export has these columns under a key, by their names there.

    One column without a name makes a list of its values.
    """

    key: str
    columns: Mapping[str, str] | str


@dataclass(frozen=True)
class ExportedBy:
    """`everything_about` in `pbm/commands` exports this key."""

    key: str


@dataclass(frozen=True)
class NotExported:
    """The export leaves the rows out, for this reason."""

    why: str


@dataclass(frozen=True)
class Personal:
    """The columns that identify a person's rows, and their treatment by erasure and export.

    `numbers` contain a player's number; the export takes the rows of the first. `addresses` contain
    a player's address, in any case. `hidden` contain an address within a longer text.
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
    """A table's mark; None for an impersonal one. Raises KeyError for a table without a mark."""
    mark: Personal | None = table.info[_MARK]
    return mark
