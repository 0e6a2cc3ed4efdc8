"""The queue of search jobs, in which robots look for moves (table `thoughts`).

A process leases a job: it owns the job for a limited time. A finished job is deleted.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import exists, func, or_, select, true

from pbm.rules.robots import LONG
from pbm.store.channels import Channel
from pbm.store.queues.queue import NOT_HELD, JobQueue
from pbm.store.schema.games import boards
from pbm.store.schema.people import players
from pbm.store.schema.running import search_jobs
from pbm.store.sql.driver import Row
from pbm.store.sql.transaction import read_as
from pbm.store.values.boards import Board
from pbm.store.values.queues import SearchJob, SearchKind

PATIENCE = 600.0  # seconds by which a second of search moves a job back in the queue


class SearchJobs(JobQueue[SearchJob]):
    _table, _selected, _kind = search_jobs, select(search_jobs), SearchJob

    def _read(self, row: Row) -> SearchJob:
        return read_as(SearchJob, row, params=row["params"] or {})

    def ask(
        self,
        kind: SearchKind,
        about: str,
        now: datetime,
        board: Board,
        player_id: int,
        *,
        params: dict[str, Any] | None = None,
        seconds: float = 0.0,
    ) -> bool:
        """Add a job for a player. Return False if one with the same kind and key (`about`) exists.

        Searches that are estimated as short (in `seconds`) come first. So do searches for players
        who have few jobs.
        """
        if seconds >= LONG:
            params = {**(params or {}), "long": True}
        jobs = self._count(select(func.count()).where(search_jobs.c.player_id == player_id))
        row = {"kind": kind, "about": about, "board_id": board.id, "ply": board.ply}
        row |= {"params": params, "player_id": player_id, "asked_at": now, "due_at": now}
        place = now.timestamp() + PATIENCE * seconds * (jobs + 1)
        is_new = self._add_if_new(search_jobs, "kind", "about", **row, place=place)
        if is_new:
            self._transaction.notified.add(Channel.JOB_ADDED)
        return is_new

    def claim(
        self, now: datetime, most: int, by: str, until: datetime, *, only_short: bool = False
    ) -> tuple[tuple[SearchJob, ...], tuple[SearchJob, ...]]:
        """Lease up to `most` jobs to the process `by`, until the time `until`.

        Returns all leased jobs, and those of them whose earlier lease had run out.
        """
        is_short = search_jobs.c.params["long"].as_boolean().is_not(true())
        leased_until = search_jobs.c.leased_until
        is_free = or_(leased_until.is_(None), leased_until <= now)
        where = (NOT_HELD, is_free, *([is_short] if only_short else []))
        rows = self._claim(now, most, "place", *where)
        claimed = tuple(map(self._read, rows))
        if claimed:
            these = search_jobs.c.id.in_([job.id for job in claimed])
            self._update(search_jobs, these, leased_by=by, leased_until=until)
        lapsed = {row["id"] for row in rows if row["leased_by"] is not None}
        return claimed, tuple(job for job in claimed if job.id in lapsed)

    def extend(self, by: str, numbers: Collection[int], until: datetime) -> None:
        mine = (search_jobs.c.leased_by == by) & search_jobs.c.id.in_(numbers)
        self._update(search_jobs, mine, leased_until=until)

    def give_back(self, by: str) -> None:
        mine = search_jobs.c.leased_by == by
        self._update(search_jobs, mine, leased_by=None, leased_until=None)

    def let_lapse(self, now: datetime) -> None:
        """End all leases at `now`. Call this only if all other processes have died."""
        leased = search_jobs.c.leased_until.is_not(None)
        self._update(search_jobs, leased, leased_until=now)

    def about(self, kind: SearchKind, about: str) -> SearchJob | None:
        its = (search_jobs.c.kind == kind, search_jobs.c.about == about)
        row = self._row(select(search_jobs).where(*its))
        return self._read(row) if row else None

    def next_due_at(self) -> datetime | None:
        """Return the earliest time at which a job can be leased; None if there is no job."""
        free_at = func.coalesce(search_jobs.c.leased_until, search_jobs.c.due_at)
        query = select(func.min(free_at, type_=search_jobs.c.due_at.type)).where(
            ~search_jobs.c.stuck
        )
        moment: datetime | None = self._transaction.scalar(query)
        return moment

    def boards_without_job(self) -> tuple[int, ...]:
        """Return the boards on which it is a robot's turn, but which have no job for this ply."""
        asked = exists().where(
            search_jobs.c.board_id == boards.c.id, search_jobs.c.ply == boards.c.ply
        )
        robots = select(players.c.id).where(players.c.robot.is_not(None))
        query = select(boards.c.id).where(boards.c.to_move_id.in_(robots), ~asked)
        return self._scalars(query.order_by(boards.c.id))

    def put_off(self, job: SearchJob, due_at: datetime) -> None:
        """End a job's lease. The job can be leased again at `due_at` or later."""
        self.change(job.id, leased_by=None, leased_until=None, due_at=due_at)

    def longest_waiting(self) -> tuple[int, datetime] | None:
        """Return the oldest job's board, and the time when that job was added."""
        query = select(search_jobs.c.board_id, search_jobs.c.asked_at).where(~search_jobs.c.stuck)
        row = self._row(query.order_by(search_jobs.c.asked_at).limit(1))
        return (row["board_id"], row["asked_at"]) if row else None

    def bring_forward(self, now: datetime, leased_until: datetime) -> None:
        """After the clock was set back, limit due times to `now` and leases to `leased_until`."""
        for name, latest in {"due_at": now, "leased_until": leased_until}.items():
            self._update(search_jobs, search_jobs.c[name] > latest, **{name: latest})
