"""Row cache of one transaction, kept current with its own writes.

It is keyed by statement and values. A write drops the rows of all statements that read its table.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

Row = dict[str, Any]
Rows = Sequence[Row]
Key = tuple[Hashable, ...]
_MOST = 1000  # reads; far more than a turn makes


class RowCache:
    """Rows by the reads that found them, and values that were built of them."""

    def __init__(self) -> None:
        self._rows: dict[Key, Rows] = {}
        self._keys: dict[str, set[Key]] = {}  # by the table that was read
        self._values: dict[str, tuple[Sequence[Rows], Any]] = {}

    def rows(self, key: Key) -> Rows | None:
        """The rows of a read, None if they are unknown or stale."""
        return self._rows.get(key)

    def keep(self, key: Key, tables: frozenset[str], rows: Rows) -> None:
        """Keep the rows of a read."""
        if len(self._rows) >= _MOST:
            self.clear()
        self._rows[key] = rows
        for table in tables:
            self._keys.setdefault(table, set()).add(key)

    def forget_tables(self, tables: frozenset[str]) -> None:
        """Drop all rows of reads of some tables."""
        for table in tables:
            for key in self._keys.pop(table, ()):
                self._rows.pop(key, None)

    def clear(self) -> None:
        """Drop everything."""
        self._rows.clear()
        self._keys.clear()
        self._values.clear()

    def value_of(self, name: str, sources: Sequence[Rows], make: Callable[..., Any]) -> Any:
        """A value built of rows; the same rows, which nobody changes, make the same value."""
        before, value = self._values.get(name, ((), None))
        if len(before) == len(sources) and all(map(_is_same, before, sources)):
            return value
        value = make(*sources)
        self._values[name] = sources, value
        return value


def _is_same(one: Rows, other: Rows) -> bool:
    return one is other
