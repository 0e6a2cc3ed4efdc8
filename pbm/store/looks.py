"""What several pieces of work look up, asked together and answered from memory after that."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbm.store.statement import Statement, rows_of
from pbm.store.transaction import Transaction


@dataclass(frozen=True)
class Look:
    """A statement that reads, and who remembers its rows."""

    statement: Statement
    values: Mapping[str, Any]
    note: Callable[[Sequence[dict[str, Any]]], object]


def look_ahead(transaction: Transaction, looks: Sequence[Look]) -> None:
    """Ask everything at once. Raises DBAPIError."""
    found = rows_of(transaction, *((one.statement, one.values) for one in looks))
    for one, rows in zip(looks, found, strict=True):
        one.note(rows)
