"""What is to be thought about, for robots to move or to give hints: rows that are leased, and gone
when they are done."""

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

from pbm.store.channels import THOUGHT_ASKED
from pbm.store.queues.job_queue import JobQueue
from pbm.store.schema.games import boards
from pbm.store.schema.people import players
from pbm.store.schema.thinking import thoughts
from pbm.store.sql.driver import Row
from pbm.store.sql.statement import Statement
from pbm.store.sql.transaction import Transaction
from pbm.store.values.queues import Thought, ThoughtKind

APART = 15.0  # seconds of place between two thoughts for one player

_READ = tuple(thoughts.c[field.name] for field in fields(Thought))
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
            # The WHERE keeps SQLite from taking ON CONFLICT for a join's ON.
            select(
                *(bindparam(column, type_=thoughts.c[column].type) for column in _GIVEN), _PLACE
            ).where(text("1 = 1")),
        )
        .on_conflict_do_nothing(index_elements=["kind", "about"])
        .returning(thoughts.c.id)
    )
    for name, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}


class Thoughts(JobQueue[Thought]):
    """Queries about what is to be thought about, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        super().__init__(transaction, thoughts, _thought)

    def ask(
        self,
        kind: ThoughtKind,
        about: str,
        now: datetime,
        *,
        board_id: int,
        ply: int,
        player_id: int,
        params: dict[str, Any] | None = None,
        handicap: float = 0.0,
    ) -> bool:
        """Let something be thought about, in the share of a player.

        Its place is now, later by `handicap` seconds, and some seconds behind the last one of that
        player that still waits. False where there is one of this kind about the same already;
        nothing changes then.
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
        self._transaction.notify(THOUGHT_ASKED)
        return True

    def claim(
        self, now: datetime, most: int, by: str, until: datetime
    ) -> tuple[tuple[Thought, ...], tuple[Thought, ...]]:
        """Lease those whose turns come next; other processes pass them over meanwhile.

        The second ones are among the first: they were leased before, to a process that has
        given no sign since.
        """
        query = (
            select(*_READ, thoughts.c.leased_by)
            .where(_is_free(now), thoughts.c.due_at <= now)
            .order_by(thoughts.c.place, thoughts.c.id)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
        rows = self._transaction.execute(query).mappings().all()
        claimed = tuple(_thought(row) for row in rows)
        self._set([item.id for item in claimed], leased_by=by, leased_until=until)
        lapsed = {row["id"] for row in rows if row["leased_by"] is not None}
        return claimed, tuple(item for item in claimed if item.id in lapsed)

    def extend(self, by: str, numbers: Collection[int], until: datetime) -> None:
        """Keep some that a process has leased for longer."""
        mine = (thoughts.c.leased_by == by) & thoughts.c.id.in_(numbers)
        self._transaction.execute(update(thoughts).where(mine).values(leased_until=until))

    def give_back(self, by: str) -> None:
        """Let others claim what a process has leased."""
        mine = thoughts.c.leased_by == by
        free = {"leased_by": None, "leased_until": None}
        self._transaction.execute(update(thoughts).where(mine).values(**free))

    def let_lapse(self, now: datetime) -> None:
        """Let everything be claimed that was leased, by processes that are no more."""
        leased = thoughts.c.leased_until.is_not(None)
        self._transaction.execute(update(thoughts).where(leased).values(leased_until=now))

    def about(self, kind: ThoughtKind, about: str) -> Thought | None:
        """Find the one of a kind about something."""
        query = select(*_READ).where(thoughts.c.kind == kind, thoughts.c.about == about)
        row = self._transaction.execute(query).mappings().one_or_none()
        return _thought(row) if row else None

    def next_due_at(self) -> datetime | None:
        """When one can be claimed next, as far as is known."""
        free_at = func.coalesce(thoughts.c.leased_until, thoughts.c.due_at)
        query = select(func.min(free_at, type_=thoughts.c.due_at.type)).where(~thoughts.c.stuck)
        moment: datetime | None = self._transaction.scalar(query)
        return moment

    def boards_unthought(self) -> tuple[int, ...]:
        """The boards that wait for a robot of which none has been asked."""
        asked = exists().where(thoughts.c.board_id == boards.c.id, thoughts.c.ply == boards.c.ply)
        robots = select(players.c.id).where(players.c.robot.is_not(None))
        query = select(boards.c.id).where(boards.c.to_move_id.in_(robots), ~asked)
        return tuple(self._transaction.scalars(query.order_by(boards.c.id)))

    def put_off(self, thought: Thought, due_at: datetime) -> None:
        """Let it be claimed again from a moment on."""
        self._set([thought.id], leased_by=None, leased_until=None, due_at=due_at)

    def note_try(self, thought: Thought, error: str) -> Thought:
        """Count a try that failed of one that is leased anew."""
        return replace(thought, tries=self.count_try(thought, error), last_error=error)

    def longest_waiting(self) -> tuple[int, datetime] | None:
        """The one that was asked for first and still waits: about which board, and since when."""
        query = select(thoughts.c.board_id, thoughts.c.asked_at).where(~thoughts.c.stuck)
        row = self._transaction.execute(query.order_by(thoughts.c.asked_at).limit(1)).one_or_none()
        return (row.board_id, row.asked_at) if row else None

    def bring_forward(self, now: datetime, leased_until: datetime) -> None:
        """Mend what was put off by a clock that was ahead: nothing is due later than now, and
        nothing is leased for longer than until a moment."""
        for column, latest in (("due_at", now), ("leased_until", leased_until)):
            ahead = thoughts.c[column] > latest
            self._transaction.execute(update(thoughts).where(ahead).values({column: latest}))


def _is_free(now: datetime) -> ColumnElement[bool]:
    lapsed = or_(thoughts.c.leased_until.is_(None), thoughts.c.leased_until <= now)
    return ~thoughts.c.stuck & lapsed


def _thought(row: Row) -> Thought:
    values = {field.name: row[field.name] for field in fields(Thought)}
    return Thought(**{**values, "params": values["params"] or {}})
