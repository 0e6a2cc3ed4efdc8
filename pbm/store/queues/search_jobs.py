"""The queue of search jobs, rows of `thoughts`: leased to a process, deleted when done."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Float,
    Integer,
    bindparam,
    exists,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.store.channels import JOB_ADDED
from pbm.store.queues.queue import JobQueue
from pbm.store.schema.games import boards
from pbm.store.schema.people import players
from pbm.store.schema.running import search_jobs
from pbm.store.sql.driver import Row
from pbm.store.sql.statement import Statement
from pbm.store.sql.transaction import read_as
from pbm.store.values.queues import SearchJob, SearchKind

PATIENCE = 60.0  # seconds of place for a second of search

_GIVEN = ("kind", "about", "board_id", "ply", "player_id", "params", "asked_at", "due_at")
_OTHERS = search_jobs.alias("others")
_WAITING = (
    select(func.count())
    .where(_OTHERS.c.player_id == bindparam("player_id", type_=Integer))
    .scalar_subquery()
)
_PLACE = bindparam("now", type_=Float) + bindparam("behind", type_=Float) * (_WAITING + 1)
_ASK = Statement(
    upsert(search_jobs)
    .from_select(
        [*_GIVEN, "place"],
        # The WHERE keeps SQLite from parsing ON CONFLICT as a join's ON.
        select(
            *(bindparam(column, type_=search_jobs.c[column].type) for column in _GIVEN), _PLACE
        ).where(text("1 = 1")),
    )
    .on_conflict_do_nothing(index_elements=["kind", "about"])
    .returning(search_jobs.c.id)
)


class SearchJobs(JobQueue[SearchJob]):
    """Queries about search jobs, within one transaction."""

    _table, _selected, _kind = search_jobs, select(search_jobs), SearchJob

    def _read(self, row: Row) -> SearchJob:
        return read_as(SearchJob, row, params=row["params"] or {})

    def ask(
        self,
        kind: SearchKind,
        about: str,
        now: datetime,
        *,
        board_id: int,
        ply: int,
        player_id: int,
        params: dict[str, Any] | None = None,
        seconds: float = 0.0,
    ) -> bool:
        """Add a job for a player; False if a job of this kind and key exists.

        Its place is now, plus `PATIENCE` times the expected `seconds` of its search for itself and
        each waiting job of the player. So short searches and players with few jobs go first, and a
        long one waits for a bounded time.
        """
        added = _ASK.value(
            self._transaction,
            kind=kind,
            about=about,
            board_id=board_id,
            ply=ply,
            player_id=player_id,
            params=params,
            asked_at=now,
            due_at=now,
            now=now.timestamp(),
            behind=PATIENCE * seconds,
        )
        if added is None:
            return False
        self._transaction.notify(JOB_ADDED)
        return True

    def claim(
        self, now: datetime, most: int, by: str, until: datetime
    ) -> tuple[tuple[SearchJob, ...], tuple[SearchJob, ...]]:
        """Lease the next jobs; return all of them, and those whose earlier lease had expired."""
        leased_until = search_jobs.c.leased_until
        is_free = or_(leased_until.is_(None), leased_until <= now)
        rows = self._claim(now, most, "place", is_free)
        claimed = tuple(map(self._read, rows))
        if claimed:
            these = search_jobs.c.id.in_([job.id for job in claimed])
            self._update(search_jobs, these, leased_by=by, leased_until=until)
        lapsed = {row["id"] for row in rows if row["leased_by"] is not None}
        return claimed, tuple(job for job in claimed if job.id in lapsed)

    def extend(self, by: str, numbers: Collection[int], until: datetime) -> None:
        """Extend leases of a process."""
        mine = (search_jobs.c.leased_by == by) & search_jobs.c.id.in_(numbers)
        self._update(search_jobs, mine, leased_until=until)

    def give_back(self, by: str) -> None:
        """End all leases of a process."""
        mine = search_jobs.c.leased_by == by
        self._update(search_jobs, mine, leased_by=None, leased_until=None)

    def let_lapse(self, now: datetime) -> None:
        """End all leases, when all other processes are dead."""
        leased = search_jobs.c.leased_until.is_not(None)
        self._update(search_jobs, leased, leased_until=now)

    def about(self, kind: SearchKind, about: str) -> SearchJob | None:
        """Find a job by its kind and its `about` key."""
        its = (search_jobs.c.kind == kind, search_jobs.c.about == about)
        row = self._row(select(search_jobs).where(*its))
        return self._read(row) if row else None

    def next_due_at(self) -> datetime | None:
        """The time when the next job can be leased."""
        free_at = func.coalesce(search_jobs.c.leased_until, search_jobs.c.due_at)
        query = select(func.min(free_at, type_=search_jobs.c.due_at.type)).where(
            ~search_jobs.c.stuck
        )
        moment: datetime | None = self._transaction.scalar(query)
        return moment

    def boards_without_job(self) -> tuple[int, ...]:
        """The boards that wait for a robot and have no job."""
        asked = exists().where(
            search_jobs.c.board_id == boards.c.id, search_jobs.c.ply == boards.c.ply
        )
        robots = select(players.c.id).where(players.c.robot.is_not(None))
        query = select(boards.c.id).where(boards.c.to_move_id.in_(robots), ~asked)
        return self._scalars(query.order_by(boards.c.id))

    def put_off(self, job: SearchJob, due_at: datetime) -> None:
        """End the lease; the job is due again at a moment."""
        self.change(job.id, leased_by=None, leased_until=None, due_at=due_at)

    def note_try(self, job: SearchJob, error: str) -> SearchJob:
        """Count a failed try for an expired lease."""
        return replace(job, tries=self.count_try(job, error), last_error=error)

    def longest_waiting(self) -> tuple[int, datetime] | None:
        """The board of the oldest job, and since when that waits."""
        query = select(search_jobs.c.board_id, search_jobs.c.asked_at).where(~search_jobs.c.stuck)
        row = self._row(query.order_by(search_jobs.c.asked_at).limit(1))
        return (row["board_id"], row["asked_at"]) if row else None

    def bring_forward(self, now: datetime, leased_until: datetime) -> None:
        """Correct times set by a clock that was ahead: the latest are now, or `leased_until`."""
        for column, latest in (
            (search_jobs.c.due_at, now),
            (search_jobs.c.leased_until, leased_until),
        ):
            self._update(search_jobs, column > latest, **{column.key: latest})
