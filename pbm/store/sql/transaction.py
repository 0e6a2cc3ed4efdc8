"""One database transaction as the repositories share it: a write buffer and a row cache.

The row cache is keyed by statement and values, and kept current with the transaction's own writes:
a write drops the rows of all statements that read its table.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, CursorResult, Executable, ScalarResult, Select
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.dml import UpdateBase

from pbm.store.channels import Channel
from pbm.store.sql.driver import Call, execute

Row = dict[str, Any]
Rows = Sequence[Row]
Key = tuple[Hashable, ...]
_MOST = 1000  # reads; far more than in a turn


class RowCache:
    """Rows by the reads that returned them, and values built from them."""

    def __init__(self) -> None:
        self._rows: dict[Key, Rows] = {}
        self._keys: dict[str, set[Key]] = {}  # keys by table
        self._values: dict[str, tuple[Sequence[Rows], Any]] = {}

    def rows(self, key: Key) -> Rows | None:
        """The rows of a read, None if they are not cached."""
        return self._rows.get(key)

    def keep(self, key: Key, tables: frozenset[str], rows: Rows) -> None:
        """Cache the rows of a read."""
        if len(self._rows) >= _MOST:
            self.clear()
        self._rows[key] = rows
        for table in tables:
            self._keys.setdefault(table, set()).add(key)

    def forget_tables(self, tables: frozenset[str]) -> None:
        """Drop the rows of all reads of these tables."""
        for table in tables:
            for key in self._keys.pop(table, ()):
                self._rows.pop(key, None)

    def clear(self) -> None:
        """Drop everything."""
        self._rows.clear()
        self._keys.clear()
        self._values.clear()

    def value_of(self, name: str, sources: Sequence[Rows], make: Callable[..., Any]) -> Any:
        """A value built from rows, cached for the same rows, which are never changed."""
        before, value = self._values.get(name, ((), None))
        if len(before) == len(sources) and all(map(_is_same, before, sources)):
            return value
        value = make(*sources)
        self._values[name] = sources, value
        return value


def _is_same(one: Rows, other: Rows) -> bool:
    return one is other


class Transaction:
    """Runs statements, always after the buffered writes."""

    def __init__(self, connection: Connection, *, begins: bool = False) -> None:
        """`begins`: BEGIN has not been sent to the database yet."""
        self._connection = connection
        self._buffer = [Call("BEGIN")] if begins else []
        self._begins = begins
        self._depth = 0  # number of nested savepoints
        self._cache = RowCache()
        self.notified: set[Channel] = set()
        """The channels whose workers are notified after the commit."""
        self.locked_boards: set[int] = set()
        """The numbers of the boards that this transaction has locked."""

    @property
    def dialect(self) -> Dialect:
        """The database's dialect."""
        return self._connection.dialect

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use the database, too."""
        return self.dialect.name != "sqlite"

    def holds(self, board_id: int) -> bool:
        """Whether no other transaction can change a board until the commit."""
        return not self.is_shared or board_id in self.locked_boards

    def notify(self, channel: Channel) -> None:
        """Notify the workers of a channel after the commit."""
        self.notified.add(channel)

    # -- statements --------------------------------------------------------------------------

    def execute(
        self, statement: Executable, values: Any = None
    ) -> "CursorResult[*tuple[Any, ...]]":
        """Run a statement by SQLAlchemy itself. Raises DBAPIError."""
        self.flush()
        result = self._connection.execute(statement, values)
        if isinstance(statement, UpdateBase):
            self._cache.forget_tables(frozenset({getattr(statement.table, "name", "")}))
        if self.is_shared and not _takes_no_lock(statement):
            self._cache.clear()  # others may have committed during a wait for a lock
        return result

    def scalar(self, statement: Executable, values: Any = None) -> Any:
        """The first column of a statement's first row, None without one. Raises DBAPIError."""
        return self.execute(statement, values).scalar()

    def scalars(self, statement: Executable, values: Any = None) -> ScalarResult[Any]:
        """The first column of each of a statement's rows. Raises DBAPIError."""
        return self.execute(statement, values).scalars()

    def run(self, *calls: Call) -> list[Sequence[Any]]:
        """Run SQL after the buffered writes, in one round trip if possible; return all rows.

        Raises DBAPIError.
        """
        buffered, self._buffer = self._buffer, []
        return execute(self._connection, *buffered, *calls)[len(buffered) :]

    def write(self, call: Call, tables: frozenset[str]) -> None:
        """Buffer SQL that writes these tables and returns nothing."""
        self._buffer.append(call)
        self._cache.forget_tables(tables)

    def flush(self) -> None:
        """Run the buffered writes. Raises DBAPIError."""
        if self._buffer:
            self.run()

    def end(self) -> None:
        """Run the buffered writes, and commit if this transaction begins itself.

        Later statements are another transaction. Raises DBAPIError.
        """
        if not self._begins:
            self.flush()
        elif self._buffer != [Call("BEGIN")]:
            self.run(Call("COMMIT"))
            self._buffer = [Call("BEGIN")]
            self.locked_boards.clear()
            self._cache.clear()

    # -- the row cache -----------------------------------------------------------------------

    def cached(self, key: Key) -> Rows | None:
        """The cached rows of an earlier read, None if they are stale."""
        return self._cache.rows(key)

    def cache(self, key: Key, tables: frozenset[str], rows: Rows) -> None:
        """Cache the rows of a read of these tables."""
        self._cache.keep(key, tables, rows)

    def value_of(self, name: str, *sources: Rows, make: Callable[..., Any]) -> Any:
        """The value that `make` builds from cached rows; built once for the same rows."""
        return self._cache.value_of(name, sources, make)

    def forget_rows(self) -> None:
        """Clear the row cache: a lock was taken, or a statement ran whose tables are unknown."""
        self._cache.clear()

    def forget_tables(self, tables: frozenset[str]) -> None:
        """Drop cached rows of tables that were written."""
        self._cache.forget_tables(tables)

    # -- savepoints --------------------------------------------------------------------------

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Roll back the work inside, and only that, if it raises.

        The savepoint is sent only if statements inside are sent.
        """
        self._depth += 1
        name = f"step{self._depth}"
        begin, locked = Call(f"SAVEPOINT {name}"), set(self.locked_boards)
        self._buffer.append(begin)
        try:
            yield
        except BaseException:
            self._cache.clear()
            self.locked_boards = locked  # rollback also releases locks taken inside
            place = self._place_of(begin)
            if place is not None:
                del self._buffer[place:]
            elif not self._connection.invalidated:
                verbs = ("ROLLBACK TO", "RELEASE")
                self._buffer = [Call(f"{verb} SAVEPOINT {name}") for verb in verbs]
            raise
        else:
            place = self._place_of(begin)
            if place is None:
                self._buffer.append(Call(f"RELEASE SAVEPOINT {name}"))
            else:
                del self._buffer[place]
        finally:
            self._depth -= 1

    def _place_of(self, begin: Call) -> int | None:
        """The index of a savepoint's begin in the buffer, None once it was sent."""
        return next((place for place, call in enumerate(self._buffer) if call is begin), None)


def _takes_no_lock(statement: Executable) -> bool:
    """Whether a statement is a plain SELECT from tables.

    A SELECT without tables calls a function, which may wait for an advisory lock.
    """
    if not isinstance(statement, Select):
        return False
    return getattr(statement, "_for_update_arg", None) is None and bool(statement.get_final_froms())
