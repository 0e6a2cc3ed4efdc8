"""Queries common to all queues: they lock, claim and retry rows, and limit index scans."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    Select,
    Table,
    exists,
    func,
    literal,
    literal_column,
    select,
    union_all,
    update,
)

from pbm.store.schema.running import facts
from pbm.store.sql.driver import Row
from pbm.store.sql.transaction import Repository, known, read_as
from pbm.store.values.queues import SearchJob, Timer

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)  # earlier than the times of all rows
Between = tuple[datetime, datetime]
ALWAYS: Between = (BEGINNING, datetime.max.replace(tzinfo=UTC))
SCAN_ALL = timedelta(seconds=5)  # between two scans from the beginning
MARGIN = timedelta(seconds=10)  # how far clocks of other processes may be behind
HELD = "held"  # the fact of a server that is held
NOT_HELD = ~exists().where(facts.c.name == literal_column(f"'{HELD}'"))


_M = TypeVar("_M")
_J = TypeVar("_J", Timer, SearchJob)


class _Queue(Repository, Generic[_M]):
    _table: ClassVar[Table]
    _selected: ClassVar[Select[Any]]
    _kind: type[_M]

    def _read(self, row: Row) -> _M:
        return read_as(self._kind, row)

    def find(
        self, number: int, *where: ColumnElement[bool], lock: bool = True, wait: bool = True
    ) -> _M | None:
        """Find a row by number. If `lock` is True, lock it until the commit.

        If another transaction has locked the row, this waits, or returns None if `wait` is False.
        """
        query = self._selected.where(self._table.c.id == number, *where)
        row = self._row(query.with_for_update(skip_locked=not wait) if lock else query)
        return self._read(row) if row else None

    def change(self, number: int, *where: ColumnElement[bool], **values: Any) -> None:
        self._update(self._table, self._table.c.id == number, *where, **values)

    def _count_try(self, number: int, *where: ColumnElement[bool], **values: Any) -> int:
        """Count a failed try of a row, and return the number of tries; 0 if no row matches."""
        its, tries = self._table.c.id == number, self._table.c.tries
        counted = update(self._table).where(its, *where).values(tries=tries + 1, **values)
        return self._transaction.scalar(counted.returning(tries)) or 0


class MailQueue(_Queue[_M]):
    """A queue of mails. A mail that was handled stays in the table, with another status."""

    _open: ClassVar[Sequence[ColumnElement[bool]]]  # that it waits; that it is stuck or has failed
    _since: ClassVar[str]  # the column with the time since when a mail waits
    _address: ClassVar[ColumnElement[str]]  # whose mail it is, in lower case
    _at_any_place: ClassVar[ColumnElement[bool]]  # always true, for the index of waiting mails

    def get(self, number: int, *, lock: bool = False) -> _M:
        """Return a mail by number; `lock` keeps workers from claiming it. Raises LookupError."""
        return known(self.find(number, lock=lock), f"mail {number} in the {self._table.name}")

    def forget_done(self, after: int, before: datetime, most: int) -> int:
        """Delete those of the next `most` mails after a number that were done before a moment.

        Return the number of the last one looked at; `after` itself if all others are newer.
        """
        its, since = self._table.c, self._table.c[self._since]
        rows = self._rows(select(its.id, since).where(its.id > after).order_by(its.id).limit(most))
        old = list(takewhile(lambda row: row[self._since] < before, rows))
        if not old:
            return after
        last = int(old[-1]["id"])
        self._forget(its.id > after, its.id <= last, *self._is_done(before))
        return last

    def _is_done(self, before: datetime) -> Sequence[ColumnElement[bool]]:
        """Return the conditions on which a mail was done before a moment, and is not needed."""
        raise NotImplementedError

    def _forget(self, *where: ColumnElement[bool]) -> None:
        self._delete(self._table, *where)

    def waiting(
        self, *, most: int | None = None, status: str | None = None, whose: str | None = None
    ) -> tuple[_M, ...]:
        """Return the mails that are waiting, stuck or failed, oldest first.

        `whose` is an address, or a domain that begins with @.
        """
        only = [self._table.c.status == status] if status else []
        if whose:
            key = whose.lower()
            is_domain = self._address.endswith(key, autoescape=True)
            only.append(is_domain if key.startswith("@") else self._address == key)
        queries = (self._selected.where(condition, *only) for condition in self._open)
        query = union_all(*queries).order_by(self._since, "id").limit(most)
        return tuple(map(self._read, self._rows(query)))

    def newest(
        self, most: int, between: Between = ALWAYS, /, **among: Iterable[Any]
    ) -> tuple[_M, ...]:
        """Return the newest mails that began to wait in a time, oldest first.

        `among` has the values that columns may have; `address` is the reader's or the sender's, in
        lower case. Without an index for a column, the whole table is read.
        """
        columns = {**self._table.c, "address": self._address}
        where = [columns[name].in_(values) for name, values in among.items()]
        where.append(self._table.c[self._since].between(*between))
        query = self._selected.where(*where).order_by(self._table.c.id.desc()).limit(most)
        return tuple(map(self._read, reversed(self._rows(query))))

    def count(self, status: str) -> int:
        has = self._table.c.status == literal(str(status), literal_execute=True)
        return self._count(select(func.count()).where(has, self._at_any_place))


class JobQueue(_Queue[_J]):
    """A queue of jobs. Finished jobs are deleted. Stuck jobs stay, but no worker claims them."""

    def done(self, job: _J) -> None:
        self._delete(self._table, self._table.c.id == job.id)

    def set_stuck(self, job: _J) -> None:
        self.change(job.id, stuck=True)

    def retry_stuck(self) -> None:
        self._update(self._table, self._table.c.stuck, stuck=False, tries=0)

    def count(self, *, stuck: bool = False) -> int:
        """Return the number of jobs that are not stuck; with `stuck=True`, of those that are."""
        these = self._table.c.stuck if stuck else ~self._table.c.stuck
        return self._count(select(func.count()).where(these))

    def count_try(self, job: _J, error: str) -> _J:
        return replace(job, tries=self._count_try(job.id, last_error=error), last_error=error)

    def _claim(
        self, now: datetime, most: int, order: str, *where: ColumnElement[bool]
    ) -> Sequence[RowMapping]:
        """Lock and return up to `most` due rows, sorted by the column `order`. Skip locked rows."""
        jobs = self._table.c
        query = select(self._table).where(~jobs.stuck, jobs.due_at <= now, *where)
        query = query.order_by(jobs[order], jobs.id).limit(most)
        return self._rows(query.with_for_update(skip_locked=True))


@dataclass
class ScanFloor:
    """A lower bound for due times, which makes scans of an index faster.

    A scan without a bound also reads entries of finished rows, if an old transaction is open. But
    rows can be added before the bound. So one scan every `SCAN_ALL` has no bound.
    """

    _floor: datetime = field(default=BEGINNING, init=False)
    _scanned_all: datetime | None = field(default=None, init=False)

    def since(self, now: datetime) -> datetime:
        """Return the bound for the next scan; `BEGINNING` means no bound."""
        last = self._scanned_all
        if last is None or not last <= now < last + SCAN_ALL:
            self._scanned_all = now
            self._floor = BEGINNING
        return self._floor

    def found(self, moments: Iterable[datetime], now: datetime) -> None:
        """Set the bound for the next scans, given the times of the rows found at `now`."""
        self._floor = min((now, *moments)) - MARGIN
