"""The queue of search jobs, rows of `thoughts`: leased to a process, deleted when done."""

from collections.abc import Collection
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    Integer,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from pbm.store.channels import JOB_ADDED
from pbm.store.queues.job_queue import JobQueue
from pbm.store.schema.games import boards
from pbm.store.schema.people import players
from pbm.store.schema.running import thoughts
from pbm.store.sql.driver import Row
from pbm.store.sql.statement import Statement
from pbm.store.sql.transaction import Transaction
from pbm.store.values.queues import SearchJob, SearchKind

APART = 15.0  # seconds of place between two jobs of one player

_READ = tuple(thoughts.c[field.name] for field in fields(SearchJob))
_GIVEN = ("kind", "about", "board_id", "ply", "player_id", "params", "asked_at", "due_at")
_EARLIER = thoughts.alias("earlier")
_FIRST_PLACE = bindparam("first_place", type_=Float)
_BEHIND_OWN = (
    select(func.max(_EARLIER.c.place) + APART)
    .where(_EARLIER.c.player_id == bindparam("player_id", type_=Integer))
    .scalar_subquery()
)
_PLACE = case((_BEHIND_OWN > _FIRST_PLACE, _BEHIND_OWN), else_=_FIRST_PLACE)
_ASK = {
    name: Statement(
        insert(thoughts)
        .from_select(
            [*_GIVEN, "place"],
            # The WHERE keeps SQLite from parsing ON CONFLICT as a join's ON.
            select(
                *(bindparam(column, type_=thoughts.c[column].type) for column in _GIVEN), _PLACE
            ).where(text("1 = 1")),
        )
        .on_conflict_do_nothing(index_elements=["kind", "about"])
        .returning(thoughts.c.id)
    )
    for name, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}


class SearchJobs(JobQueue[SearchJob]):
    """Queries about search jobs, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        super().__init__(transaction, thoughts, _search_job)

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
        handicap: float = 0.0,
    ) -> bool:
        """Add a job for a player; False if a job of this kind and key exists.

        Its place is now plus `handicap` seconds, but at least `APART` behind the player's last one.
        """
        added = _ASK[self._transaction.dialect.name].value(
            self._transaction,
            kind=kind,
            about=about,
            board_id=board_id,
            ply=ply,
            player_id=player_id,
            params=params,
            asked_at=now,
            due_at=now,
            first_place=now.timestamp() + handicap,
        )
        if added is None:
            return False
        self._transaction.notify(JOB_ADDED)
        return True

    def claim(
        self, now: datetime, most: int, by: str, until: datetime
    ) -> tuple[tuple[SearchJob, ...], tuple[SearchJob, ...]]:
        """Lease the next jobs; return all of them, and those whose earlier lease had expired."""
        query = (
            select(*_READ, thoughts.c.leased_by)
            .where(_is_free(now), thoughts.c.due_at <= now)
            .order_by(thoughts.c.place, thoughts.c.id)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
        rows = self._transaction.execute(query).mappings().all()
        claimed = tuple(_search_job(row) for row in rows)
        self._set([item.id for item in claimed], leased_by=by, leased_until=until)
        lapsed = {row["id"] for row in rows if row["leased_by"] is not None}
        return claimed, tuple(item for item in claimed if item.id in lapsed)

    def extend(self, by: str, numbers: Collection[int], until: datetime) -> None:
        """Extend leases of a process."""
        mine = (thoughts.c.leased_by == by) & thoughts.c.id.in_(numbers)
        self._transaction.execute(update(thoughts).where(mine).values(leased_until=until))

    def give_back(self, by: str) -> None:
        """End all leases of a process."""
        mine = thoughts.c.leased_by == by
        free = {"leased_by": None, "leased_until": None}
        self._transaction.execute(update(thoughts).where(mine).values(**free))

    def let_lapse(self, now: datetime) -> None:
        """End all leases, when all other processes are dead."""
        leased = thoughts.c.leased_until.is_not(None)
        self._transaction.execute(update(thoughts).where(leased).values(leased_until=now))

    def about(self, kind: SearchKind, about: str) -> SearchJob | None:
        """Find the job of a kind with a key."""
        query = select(*_READ).where(thoughts.c.kind == kind, thoughts.c.about == about)
        row = self._transaction.execute(query).mappings().one_or_none()
        return _search_job(row) if row else None

    def next_due_at(self) -> datetime | None:
        """The time when the next job can be leased."""
        free_at = func.coalesce(thoughts.c.leased_until, thoughts.c.due_at)
        query = select(func.min(free_at, type_=thoughts.c.due_at.type)).where(~thoughts.c.stuck)
        moment: datetime | None = self._transaction.scalar(query)
        return moment

    def boards_without_job(self) -> tuple[int, ...]:
        """The boards that wait for a robot and have no job."""
        asked = exists().where(thoughts.c.board_id == boards.c.id, thoughts.c.ply == boards.c.ply)
        robots = select(players.c.id).where(players.c.robot.is_not(None))
        query = select(boards.c.id).where(boards.c.to_move_id.in_(robots), ~asked)
        return tuple(self._transaction.scalars(query.order_by(boards.c.id)))

    def put_off(self, job: SearchJob, due_at: datetime) -> None:
        """End the lease; the job is due again at a moment."""
        self._set([job.id], leased_by=None, leased_until=None, due_at=due_at)

    def note_try(self, job: SearchJob, error: str) -> SearchJob:
        """Count a failed try for an expired lease."""
        return replace(job, tries=self.count_try(job, error), last_error=error)

    def longest_waiting(self) -> tuple[int, datetime] | None:
        """The board of the oldest job, and since when that waits."""
        query = select(thoughts.c.board_id, thoughts.c.asked_at).where(~thoughts.c.stuck)
        row = self._transaction.execute(query.order_by(thoughts.c.asked_at).limit(1)).one_or_none()
        return (row.board_id, row.asked_at) if row else None

    def bring_forward(self, now: datetime, leased_until: datetime) -> None:
        """Correct times set by a clock that was ahead: the latest are now, or `leased_until`."""
        for column, latest in (("due_at", now), ("leased_until", leased_until)):
            ahead = thoughts.c[column] > latest
            self._transaction.execute(update(thoughts).where(ahead).values({column: latest}))


def _is_free(now: datetime) -> ColumnElement[bool]:
    lapsed = or_(thoughts.c.leased_until.is_(None), thoughts.c.leased_until <= now)
    return ~thoughts.c.stuck & lapsed


def _search_job(row: Row) -> SearchJob:
    values = {field.name: row[field.name] for field in fields(SearchJob)}
    return SearchJob(**{**values, "params": values["params"] or {}})
