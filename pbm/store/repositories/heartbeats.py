"""Heartbeats: which process runs which roles, and when each last reported."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from pbm.clock import Clock
from pbm.store.schema.running import heartbeats
from pbm.store.sql.transaction import Transaction
from pbm.store.values.queues import Heartbeat

MOST_ROWS = 300  # far more than there are processes; the rest are dead
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_COLUMNS = tuple(heartbeats.columns)


class Heartbeats:
    """Queries about heartbeats, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def beat(
        self,
        process: str,
        host: str,
        pid: int,
        alive: Mapping[str, datetime],
        now: datetime,
        ahead: float | None = None,
    ) -> None:
        """Store the heartbeat of a process, and the last sign of life of each of its roles."""
        insert = _INSERT[self._transaction.dialect.name](heartbeats)
        statement = insert.on_conflict_do_update(
            index_elements=["process", "role"],
            set_={name: insert.excluded[name] for name in ("beat_at", "alive_at", "ahead")},
        )
        whose = {"process": process, "host": host, "pid": pid, "beat_at": now, "ahead": ahead}
        rows = [{**whose, "role": role, "alive_at": at} for role, at in alive.items()]
        self._transaction.execute(statement, rows)

    def clock_ahead(self, clock: Clock) -> float | None:
        """The seconds by which a clock is ahead of the database's; None if embedded."""
        if not self._transaction.is_shared:
            return None
        there: datetime = self._transaction.execute(select(func.clock_timestamp())).scalar_one()
        return (clock() - there).total_seconds()

    def all(self) -> tuple[Heartbeat, ...]:
        """All known heartbeats, the latest first."""
        query = select(*_COLUMNS).order_by(heartbeats.c.beat_at.desc(), heartbeats.c.process)
        return tuple(Heartbeat(**row) for row in self._transaction.execute(query).mappings())

    def forget(self, process: str) -> None:
        """Delete the heartbeats of a process that ends normally."""
        self._transaction.execute(delete(heartbeats).where(heartbeats.c.process == process))

    def forget_dead(self, before: datetime) -> None:
        """Delete heartbeats older than a moment, and the oldest above `MOST_ROWS`."""
        newest = select(heartbeats.c.beat_at).order_by(heartbeats.c.beat_at.desc())
        last_kept = newest.offset(MOST_ROWS - 1).limit(1).scalar_subquery()
        beat_at = heartbeats.c.beat_at
        self._transaction.execute(
            delete(heartbeats).where(or_(beat_at < before, beat_at < last_kept))
        )

    def forget_all(self) -> None:
        """Delete all heartbeats."""
        self._transaction.execute(delete(heartbeats))
