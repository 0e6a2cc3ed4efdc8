"""One transaction, as the stores share it: what it has locked and read, and what waits in it.

A write that gives nothing back waits until something has to be asked of the database, or the
transaction ends. Then everything that waits goes together, in one round trip with what is asked.
So does its beginning, where the database needs not be told of it before.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, CursorResult, Executable, ScalarResult, SelectBase
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.dml import UpdateBase

from pbm.store.driver import Call, execute
from pbm.store.remembered import Remembered
from pbm.store.together import Reach, Waiting, merged

Leaves = Callable[[Remembered], None]
"""Tells what a write leaves of what is remembered."""


class WouldWaitError(Exception):
    """A turn asks for what another transaction may have in hand, and may wait for nobody."""

    def __init__(self, statement: object) -> None:
        super().__init__(f"this may wait: {str(statement).split(chr(10))[0]}")


GUARDED = {"pbm_guarded": True}
"""For statements that write what nobody else does while their board, or their mail, is locked."""


def may_wait(statement: Executable) -> bool:
    """Whether a statement may have to wait for another transaction's end: as any that writes or
    locks, but for those that are `GUARDED` and those that pass over what is locked."""
    if statement.get_execution_options().get("pbm_guarded"):
        return False
    if isinstance(statement, SelectBase):
        locking = getattr(statement, "_for_update_arg", None)
        return locking is not None and not locking.skip_locked
    return True


class Transaction:
    """What a unit of work's stores ask the database through."""

    def __init__(self, connection: Connection, *, begins: bool = False) -> None:
        """`begins`: the database has not been told yet that a transaction begins."""
        self._connection = connection
        self._waiting = [Waiting("BEGIN", [()])] if begins else []
        self._begins = begins
        self._depth = 0  # of savepoints
        self._written = 0
        self.known = Remembered()
        self.held: set[int] = set()
        """The numbers of the boards that nobody else changes until the commit."""
        self.in_group = False
        """Whether several turns share it, of which none may wait for anybody."""

    @property
    def dialect(self) -> Dialect:
        """Which database it is."""
        return self._connection.dialect

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use the database, too."""
        return self.dialect.name != "sqlite"

    def holds(self, board_id: int) -> bool:
        """Whether nobody else can change a board until the commit; in an embedded database nobody
        changes anything."""
        return not self.is_shared or board_id in self.held

    def have_locked(self, board_ids: Iterable[int]) -> None:
        """Nobody else changes these boards from now on; what was read of one before that may be
        another's work ago."""
        for board_id in set(board_ids) - self.held:
            self.known.forget_board(board_id)
            self.known.forget_plies(board_id)
            self.held.add(board_id)

    # -- statements --------------------------------------------------------------------------

    def execute(
        self, statement: Executable, values: Any = None, *, leaves: Leaves | None = None
    ) -> "CursorResult[*tuple[Any, ...]]":
        """Run a statement in SQLAlchemy's own way; one that writes says what it leaves of what is
        remembered, or all of its table is forgotten. Raises DBAPIError, and WouldWaitError."""
        waits = may_wait(statement)
        if waits:
            self.check_may_wait(statement)
        self.flush()
        result = self._connection.execute(statement, values)
        if isinstance(statement, UpdateBase):
            self.note_written(getattr(statement.table, "name", ""), leaves)
        if waits:
            self.have_waited()
        return result

    def scalar(
        self, statement: Executable, values: Any = None, *, leaves: Leaves | None = None
    ) -> Any:
        """The first column of a statement's first row, None without one. Raises DBAPIError."""
        return self.execute(statement, values, leaves=leaves).scalar()

    def scalars(
        self, statement: Executable, values: Any = None, *, leaves: Leaves | None = None
    ) -> ScalarResult[Any]:
        """The first column of each of a statement's rows. Raises DBAPIError."""
        return self.execute(statement, values, leaves=leaves).scalars()

    def check_may_wait(self, statement: object) -> None:
        """Raise WouldWaitError where nobody may wait for another transaction."""
        if self.in_group:
            raise WouldWaitError(statement)

    def have_waited(self) -> None:
        """Others may have changed meanwhile what is not held: it is read anew."""
        if self.is_shared:
            self.known.forget_all_but(self.held)

    def read(self, *calls: Call) -> list[Sequence[Any]]:
        """Run SQL after what waits; return the driver's rows of each. Raises DBAPIError."""
        waiting, self._waiting = self._waiting, []
        before = merged(waiting)
        return execute(self._connection, *before, *calls)[len(before) :]

    def write(
        self, sql: str, sets: list[Any], reach: Reach, *, leaves: Leaves | None = None
    ) -> None:
        """Let SQL be run for each set of values, before anything else is asked or at the end."""
        self._waiting.append(Waiting(sql, sets, reach))
        self.note_written(reach.target, leaves)

    def note_written(self, table: str, leaves: Leaves | None) -> None:
        """Rows of a table were written; without `leaves` nobody says which."""
        self._written += 1
        if leaves is None:
            self.known.forget(table)
        else:
            leaves(self.known)

    def run_anything(self, statement: Executable, values: Any) -> None:
        """Run a statement of which nobody knows what it leaves. Raises DBAPIError."""
        self.execute(statement, values)
        self._written += 1
        self.known.forget_all()

    def flush(self) -> None:
        """Run what waits. Raises DBAPIError."""
        if self._waiting:
            self.read()

    def end(self) -> None:
        """Run what waits, and commit where this began by itself. Raises DBAPIError."""
        if self._begins:
            self._waiting.append(Waiting("COMMIT", [()]))
        if [one.sql for one in self._waiting] != ["BEGIN", "COMMIT"]:
            self.flush()

    # -- savepoints --------------------------------------------------------------------------

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what happens inside, and only that, if it raises.

        The database is told of it only if anything inside goes there.
        """
        held, written = set(self.held), self._written
        self._depth += 1
        name = f"step{self._depth}"
        begin = Waiting(f"SAVEPOINT {name}", [()])
        self._waiting.append(begin)
        try:
            yield
        except BaseException:
            self.held = held  # what was locked inside is free again
            if self._written != written:
                self.known.forget_all()
            self._undo(begin, name)
            raise
        else:
            self._release(begin, name)
        finally:
            self._depth -= 1

    def _undo(self, begin: Waiting, name: str) -> None:
        place = self._place_of(begin)
        if place is not None:
            del self._waiting[place:]
        elif not self._connection.invalidated:
            self._waiting = [
                Waiting(f"{verb} SAVEPOINT {name}", [()]) for verb in ("ROLLBACK TO", "RELEASE")
            ]

    def _release(self, begin: Waiting, name: str) -> None:
        place = self._place_of(begin)
        if place is None:
            self._waiting.append(Waiting(f"RELEASE SAVEPOINT {name}", [()]))
        else:
            del self._waiting[place]

    def _place_of(self, begin: Waiting) -> int | None:
        """Where a savepoint's beginning waits, None once the database was told of it."""
        places = (place for place, one in enumerate(self._waiting) if one is begin)
        return next(places, None)
