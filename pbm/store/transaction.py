"""One transaction, as the stores share it: its statements, and the boards that it has locked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, CursorResult, Executable, ScalarResult, SelectBase
from sqlalchemy.engine import Dialect

from pbm.store.driver import execute


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

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
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

    def execute(
        self, statement: Executable, values: Any = None
    ) -> "CursorResult[*tuple[Any, ...]]":
        """Run a statement in SQLAlchemy's own way. Raises DBAPIError, and WouldWaitError."""
        if self.in_group and may_wait(statement):
            raise WouldWaitError(statement)
        return self._connection.execute(statement, values)

    def scalar(self, statement: Executable, values: Any = None) -> Any:
        """The first column of a statement's first row, None without one. Raises DBAPIError."""
        return self.execute(statement, values).scalar()

    def scalars(self, statement: Executable, values: Any = None) -> ScalarResult[Any]:
        """The first column of each of a statement's rows. Raises DBAPIError."""
        return self.execute(statement, values).scalars()

    def run(self, sql: str, bound: Any = ()) -> list[Any]:
        """Run SQL as the driver takes it, with one set of values or a list of them; return the
        driver's rows. Raises DBAPIError."""
        return list(execute(self._connection, sql, bound))

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what happens inside, and only that, if it raises."""
        held = set(self.held)
        self.run("SAVEPOINT step")  # one inside another hides it until its end
        try:
            yield
        except BaseException:
            self.held = held  # what was locked inside is free again
            if not self._connection.invalidated:
                self.run("ROLLBACK TO SAVEPOINT step")
                self.run("RELEASE SAVEPOINT step")
            raise
        self.run("RELEASE SAVEPOINT step")
