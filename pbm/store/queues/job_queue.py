"""A queue of jobs in a table with tries, the last error and a stuck mark."""

from collections.abc import Callable, Collection
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import Table, delete, func, select, update

from pbm.store.sql.driver import Row
from pbm.store.sql.transaction import Transaction


class _Job(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def tries(self) -> int: ...


_J = TypeVar("_J", bound=_Job)


class JobQueue(Generic[_J]):
    """The queries that all job queues share, within one transaction."""

    def __init__(self, transaction: Transaction, table: Table, read: Callable[[Row], _J]) -> None:
        self._transaction = transaction
        self._table = table
        self._read = read

    def find(self, number: int) -> _J | None:
        """Find and lock a job that is not done."""
        query = select(self._table).where(self._table.c.id == number).with_for_update()
        row = self._transaction.execute(query).mappings().one_or_none()
        return self._read(row) if row else None

    def done(self, job: _J) -> None:
        """Delete a job that is done or obsolete."""
        self._transaction.execute(delete(self._table).where(self._table.c.id == job.id))

    def set_stuck(self, job: _J) -> None:
        """Mark a job as stuck: it is not retried until the next start."""
        self._set([job.id], stuck=True)

    def retry_stuck(self) -> None:
        """Retry all stuck jobs."""
        stuck = update(self._table).where(self._table.c.stuck)
        self._transaction.execute(stuck.values(stuck=False, tries=0))

    def count(self, *, stuck: bool = False) -> int:
        """The number of jobs that are stuck, or that are not."""
        these = self._table.c.stuck if stuck else ~self._table.c.stuck
        return int(self._transaction.scalar(select(func.count()).where(these)) or 0)

    def count_try(self, job: _J, error: str) -> int:
        """Count a failed try; return the number of tries."""
        self._set([job.id], tries=self._table.c.tries + 1, last_error=error)
        return job.tries + 1

    def _set(self, numbers: Collection[int], **values: Any) -> None:
        if numbers:
            these = self._table.c.id.in_(numbers)
            self._transaction.execute(update(self._table).where(these).values(**values))
