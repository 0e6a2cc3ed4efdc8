"""State of the server: facts, the journal of the operator, and heartbeats of processes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.clock import Clock
from pbm.store.schema.people import players
from pbm.store.schema.running import changes, facts, heartbeats
from pbm.store.sql.transaction import Repository
from pbm.store.values.queues import Change, Fact, Heartbeat


class Facts(Repository):
    """Queries about facts, within one transaction."""

    def find(self, name: str, *, lock: bool = False) -> Fact | None:
        """Find the fact stored under a name; `lock` locks it until the commit."""
        query = select(facts.c.value, facts.c.noted_at).where(facts.c.name == name)
        if lock:
            query = query.with_for_update()
        row = self._row(query)
        return Fact(**row) if row else None

    def note(self, name: str, value: Any, now: datetime) -> None:
        """Store a fact, replacing an older one; `value` is plain JSON."""
        noted = {"value": value, "noted_at": now}
        added = upsert(facts).values(name=name, **noted)
        self._transaction.execute(added.on_conflict_do_update(index_elements=["name"], set_=noted))

    def take(self, name: str) -> Fact | None:
        """Delete a fact, and return it: only one process gets it."""
        taken = delete(facts).where(facts.c.name == name)
        rows = self._rows(taken.returning(facts.c.value, facts.c.noted_at))
        return Fact(**rows[0]) if rows else None

    def forget(self, name: str) -> None:
        """Delete the fact under a name."""
        self._delete(facts, facts.c.name == name)


_QUERY = select(
    *(column for column in changes.c if column.name not in ("id", "player_id")), players.c.handle
).outerjoin(players, players.c.id == changes.c.player_id)


class Changes(Repository):
    """Queries about the operator's changes, within one transaction."""

    def add(
        self,
        *,
        who: str,
        why: str,
        what: str,
        now: datetime,
        player_id: int | None = None,
        board_id: int | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        """Add a change to the journal."""
        self._insert(
            changes,
            at=now,
            who=who,
            why=why,
            what=what,
            player_id=player_id,
            board_id=board_id,
            details=details or {},
        )

    def of_player(self, player_id: int) -> tuple[Change, ...]:
        """The changes that concern a player, oldest first."""
        return self._read(_QUERY.where(changes.c.player_id == player_id).order_by(changes.c.id))

    def of_board(self, board_id: int) -> tuple[Change, ...]:
        """The changes that concern a board, oldest first."""
        return self._read(_QUERY.where(changes.c.board_id == board_id).order_by(changes.c.id))

    def newest(self, most: int) -> tuple[Change, ...]:
        """The newest changes of any kind, the newest last."""
        query = _QUERY.order_by(changes.c.id.desc()).limit(most)
        return self._read(query)[::-1]

    def _read(self, query: Select[Any]) -> tuple[Change, ...]:
        return tuple(Change(**row) for row in self._rows(query))


MOST_ROWS = 300  # far more than there are processes; the rest are dead
_COLUMNS = tuple(heartbeats.columns)


class Heartbeats(Repository):
    """Queries about heartbeats, within one transaction."""

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
        insert = upsert(heartbeats)
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
        return tuple(Heartbeat(**row) for row in self._rows(query))

    def forget(self, process: str) -> None:
        """Delete the heartbeats of a process that ends normally."""
        self._delete(heartbeats, heartbeats.c.process == process)

    def forget_dead(self, before: datetime) -> None:
        """Delete heartbeats older than a moment, and the oldest above `MOST_ROWS`."""
        newest = select(heartbeats.c.beat_at).order_by(heartbeats.c.beat_at.desc())
        last_kept = newest.offset(MOST_ROWS - 1).limit(1).scalar_subquery()
        beat_at = heartbeats.c.beat_at
        self._delete(heartbeats, or_(beat_at < before, beat_at < last_kept))

    def forget_all(self) -> None:
        """Delete all heartbeats."""
        self._delete(heartbeats)
