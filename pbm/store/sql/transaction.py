"""A database transaction, shared by the repositories. It buffers writes and caches rows."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    Executable,
    RowMapping,
    Select,
    Table,
    delete,
    insert,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.sql.dml import UpdateBase

from pbm.store.channels import Channel
from pbm.store.sql.driver import Call, Row, execute

V = TypeVar("V")
Rows = Sequence[dict[str, Any]]
Key = tuple[Hashable, ...]
_MOST = 1000  # reads; far more than in a turn


class RowCache:
    """A cache of rows and values built from them. A write to a table drops what came from it."""

    def __init__(self) -> None:
        self._found: dict[Key, Any] = {}
        self._keys: dict[str, set[Key]] = {}  # keys by table

    def get(self, key: Key) -> Any:
        return self._found.get(key)

    def keep(self, key: Key, tables: frozenset[str], found: Any) -> None:
        if len(self._found) >= _MOST:
            self.clear()
        self._found[key] = found
        for table in tables:
            self._keys.setdefault(table, set()).add(key)

    def forget_tables(self, tables: frozenset[str]) -> None:
        for table in tables:
            for key in self._keys.pop(table, ()):
                self._found.pop(key, None)

    def clear(self) -> None:
        self._found.clear()
        self._keys.clear()


class Transaction:
    """A database transaction that buffers writes and caches rows. Its methods raise DBAPIError."""

    def __init__(self, connection: Connection, *, begins: bool = False) -> None:
        """Prepare a transaction that sends BEGIN and COMMIT itself if `begins` is True."""
        self._connection = connection
        self.dialect = connection.dialect
        self.is_shared = self.dialect.name != "sqlite"  # several processes may use PostgreSQL
        self._buffer = [Call("BEGIN")] if begins else []
        self._begins = begins
        self._has_writes = False  # in the buffer
        self._depth = 0  # number of nested savepoints
        self.cache = RowCache()
        self.notified: set[Channel] = set()  # whose workers are notified after the commit
        self.locked_boards: set[int] = set()

    def holds(self, board_id: int) -> bool:
        """Return whether this transaction has locked the board until the commit."""
        return not self.is_shared or board_id in self.locked_boards

    # -- statements --------------------------------------------------------------------------

    def execute(
        self, statement: Executable, values: Any = None
    ) -> "CursorResult[*tuple[Any, ...]]":
        """Run a statement through SQLAlchemy. `Statement` is faster for those that run often."""
        self.flush()
        result = self._connection.execute(statement, values)
        if isinstance(statement, UpdateBase):
            self.cache.forget_tables(frozenset({getattr(statement.table, "name", "")}))
        # Others may have committed during a wait for a lock. An advisory lock is taken by a text.
        is_plain = isinstance(statement, Select) and statement._for_update_arg is None
        if self.is_shared and not is_plain:
            self.cache.clear()
        return result

    def scalar(self, statement: Executable) -> Any:
        return self.execute(statement).scalar()

    def run(self, *calls: Call) -> list[Sequence[Any]]:
        """Run the buffered writes and these calls in one round trip. Return each call's rows."""
        buffered, self._buffer, self._has_writes = self._buffer, [], False
        return execute(self._connection, *buffered, *calls)[len(buffered) :]

    def write(self, call: Call, tables: frozenset[str]) -> None:
        self._buffer.append(call)
        self._has_writes = True
        self.cache.forget_tables(tables)

    def flush(self) -> None:
        """Run the buffered writes now, so that their errors are raised here."""
        if self._buffer:
            self.run()

    def end(self) -> None:
        """Run the buffered writes. If this object sends BEGIN itself, also commit."""
        if not self._begins:
            self.flush()
        elif self._buffer != [Call("BEGIN")]:
            self.run(Call("COMMIT"))
            self._buffer = [Call("BEGIN")]
            self.locked_boards.clear()
            self.cache.clear()

    # -- savepoints --------------------------------------------------------------------------

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """If the `with` block raises, roll back the statements inside it, and only these.

        Writes that were buffered before run first, so that their errors do not occur inside.
        """
        if self._has_writes:
            self.run()
        self._depth += 1
        name = f"step{self._depth}"
        begin, locked = Call(f"SAVEPOINT {name}"), set(self.locked_boards)
        self._buffer.append(begin)
        try:
            yield
        except BaseException:
            self.cache.clear()
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
        """Return the index of a call in the buffer, or None if it was already sent."""
        return next((place for place, call in enumerate(self._buffer) if call is begin), None)


def read_as(kind: type[V], row: Row, **others: Any) -> V:
    """Build a dataclass's instance from a row's columns. Values in `others` replace the row's."""
    names = vars(kind)["__dataclass_fields__"]
    value = object.__new__(kind)  # a frozen `__init__` is slow; no kind has `__post_init__`
    vars(value).update({name: row[name] for name in names if name not in others}, **others)
    return value


def known(value: V | None, what: str) -> V:
    """Return a value that was looked up. Raises LookupError if it is None."""
    if value is None:
        raise LookupError(f"no {what}")
    return value


class Repository:
    """Base class of repositories, which run queries within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def _add(self, table: Table, **values: Any) -> int:
        added = insert(table).values(**values).returning(table.c.id)
        return int(self._transaction.execute(added).scalar_one())

    def _add_if_new(self, table: Table, *key: str, **values: Any) -> bool:
        """Insert a row. Returns False if a row with the same values in the columns `key` exists."""
        added = upsert(table).values(**values).on_conflict_do_nothing(index_elements=key)
        return self._transaction.scalar(added.returning(table.c.id)) is not None

    def _insert(self, table: Table, **values: Any) -> None:
        self._transaction.execute(insert(table).values(**values))

    def _update(self, table: Table, *where: ColumnElement[bool], **values: Any) -> None:
        self._transaction.execute(update(table).where(*where).values(**values))

    def _delete(self, table: Table, *where: ColumnElement[bool]) -> int:
        return self._transaction.execute(delete(table).where(*where)).rowcount

    def _exists(self, query: Select[Any]) -> bool:
        return self._transaction.execute(query.limit(1)).first() is not None

    def _count(self, query: Select[Any]) -> int:
        """Return the number that a query selects, or 0 if it selects null."""
        return int(self._transaction.scalar(query) or 0)

    def _rows(self, query: Executable) -> Sequence[RowMapping]:
        return self._transaction.execute(query).mappings().all()

    def _row(self, query: Select[Any]) -> RowMapping | None:
        return self._transaction.execute(query).mappings().first()

    def _scalars(self, query: Executable) -> tuple[Any, ...]:
        return tuple(self._transaction.execute(query).scalars())

    def _all(self, kind: type[V], query: Executable) -> tuple[V, ...]:
        return tuple(read_as(kind, row) for row in self._rows(query))

    def _first(self, kind: type[V], query: Executable) -> V | None:
        return next(iter(self._all(kind, query)), None)
