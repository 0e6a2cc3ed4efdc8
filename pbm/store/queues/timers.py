"""The queue of timers, which start something at a given time (table `due`)."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import String, bindparam, cast, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.store.channels import Channel
from pbm.store.queues.queue import NOT_HELD, JobQueue
from pbm.store.schema.games import boards, seats
from pbm.store.schema.people import players
from pbm.store.schema.running import due
from pbm.store.sql.statement import Statement
from pbm.store.values.queues import Timer, TimerKind

ALL_KEPT = timedelta(minutes=1)  # after this time all earlier rows are committed
SOON = timedelta(minutes=1)  # a timer due later needs no notification: polling finds it in time
_WAITS = ~due.c.stuck
_RUN_OUT = [TimerKind.CLOCK, TimerKind.FIRST_MOVE_DECLINE]
_AT_ONCE = 500  # keys in one statement
_OF_BOARD = ("kind", "about", "board_id", "since", "set_at", "due_at")
_SET_LATER = Statement(
    upsert(due).values({name: bindparam(name) for name in _OF_BOARD}).on_conflict_do_nothing()
)
_LOOKED_AT = 500  # due timers examined, so that the cost is bounded


class Timers(JobQueue[Timer]):
    _table, _selected, _kind = due, select(due), Timer

    def set(
        self,
        kind: TimerKind,
        about: str,
        now: datetime,
        due_at: datetime,
        *,
        board_id: int | None = None,
        player_id: int | None = None,
        question_id: int | None = None,
        since: datetime | None = None,
    ) -> bool:
        """Add a timer. Return False if one with the same kind and key (`about`) exists already."""
        whose = {"board_id": board_id, "player_id": player_id, "question_id": question_id}
        moments = {"since": since or now, "set_at": now, "due_at": due_at}
        row = {"kind": kind, "about": about, **whose, **moments}
        is_new = self._add_if_new(due, "kind", "about", **row)
        if is_new:
            self._wake(now, due_at)
        return is_new

    def set_later(
        self, kind: TimerKind, about: str, now: datetime, due_at: datetime, board_id: int
    ) -> None:
        """Add a timer as `set` does, without a round trip, and without waking anybody."""
        moments = {"since": now, "set_at": now, "due_at": due_at}
        row = {"kind": kind.value, "about": about, "board_id": board_id, **moments}
        _SET_LATER.run(self._transaction, row)

    def set_new_dates(self, now: datetime) -> None:
        """Add a timer, due at `now`, for each player whose turn it is on any board."""
        about, whose = cast(boards.c.to_move_id, String), boards.c.to_move_id
        at = literal(now, due.c.due_at.type)
        awaited = select(literal(TimerKind.NEW_DATES.value), about, whose, at, at, at).distinct()
        added = upsert(due).from_select(
            ["kind", "about", "player_id", "since", "set_at", "due_at"],
            awaited.where(whose.is_not(None)),
        )
        self._transaction.execute(added.on_conflict_do_nothing(index_elements=["kind", "about"]))
        self._transaction.notified.add(Channel.TIMER_SET)

    def move(
        self, kind: TimerKind, about: str, now: datetime, due_at: datetime, *, player_id: int
    ) -> None:
        """Set when a timer is due. If no timer has this kind and key (`about`), add one."""
        moment = {"set_at": now, "due_at": due_at}
        row = {"kind": kind, "about": about, "since": now, "player_id": player_id, **moment}
        added = upsert(due).values(row)
        moved = added.on_conflict_do_update(index_elements=["kind", "about"], set_=moment)
        self._transaction.execute(moved)
        self._wake(now, due_at)

    def _wake(self, now: datetime, due_at: datetime) -> None:
        if due_at - now <= SOON:
            self._transaction.notified.add(Channel.TIMER_SET)

    def advance(
        self, kind: TimerKind, abouts: Sequence[str], due_at: datetime, now: datetime
    ) -> None:
        """Bring the timers with the keys `abouts` forward to `due_at`, if they are due later.

        Timers that others have locked are skipped, since to wait for them could be a deadlock.
        """
        for first in range(0, len(abouts), _AT_ONCE):
            later = select(due.c.id).where(
                due.c.kind == kind,
                due.c.about.in_(abouts[first : first + _AT_ONCE]),
                due.c.due_at > due_at,
            )
            free = later.with_for_update(skip_locked=True)
            earlier = update(due).where(due.c.id.in_(free)).values(due_at=due_at, set_at=now)
            self._transaction.execute(earlier)

    def claim(self, now: datetime, most: int) -> tuple[Timer, ...]:
        """Lock and return due timers, oldest first. Timers that others have locked are skipped.

        While the server is held, this returns only the timer that looks after its health.
        """
        runs = or_(due.c.kind == TimerKind.HEALTH, NOT_HELD)
        return tuple(map(self._read, self._claim(now, most, "due_at", runs)))

    def next_due_at(self) -> datetime | None:
        query = select(due.c.due_at).where(_WAITS).order_by(due.c.due_at, due.c.id).limit(1)
        due_at: datetime | None = self._transaction.scalar(query)
        return due_at

    def about(self, kind: TimerKind, abouts: Sequence[str]) -> dict[str, Timer]:
        """Return the timers of a kind that have the keys `abouts`, by key."""
        query = select(due).where(due.c.kind == kind, due.c.about.in_(abouts))
        return {timer.about: timer for timer in self._all(Timer, query)} if abouts else {}

    def readers_of(
        self, player_ids: Collection[int], until: datetime, *, but: Collection[int]
    ) -> frozenset[int]:
        """Return those of the players who have a board on which time may run out by `until`.

        Timers of the boards in `but` do not count. Only the first `_LOOKED_AT` timers are examined.
        """
        soon = (
            select(due.c.kind, due.c.board_id)
            .where(_WAITS, due.c.due_at <= until)
            .order_by(due.c.due_at, due.c.id)
            .limit(_LOOKED_AT)
            .subquery()
        )
        theirs = select(seats.c.board_id).where(
            soon.c.kind.in_(_RUN_OUT),
            soon.c.board_id.not_in(but),
            seats.c.board_id == soon.c.board_id,
            seats.c.player_id == players.c.id,
        )
        query = select(players.c.id).where(players.c.id.in_(player_ids), theirs.exists())
        return frozenset(self._scalars(query)) if player_ids else frozenset()

    def forget(self, kind: TimerKind) -> None:
        self._delete(due, due.c.kind == kind)

    def put_off(self, timer: Timer, now: datetime, due_at: datetime) -> None:
        """Put a timer off until `due_at`, and reset its count of tries."""
        self.change(timer.id, set_at=now, due_at=due_at, tries=0, last_error=None)

    def bring_forward(self, now: datetime) -> None:
        """Correct the timers that were set while the clock was ahead, after the clock was set back.

        They count as set at `now`. The time from there to `due_at` stays the same.
        """
        for timer in self._all(Timer, select(due).where(due.c.set_at > now)):
            wait = timer.due_at - timer.set_at
            self.change(timer.id, since=min(timer.since, now), set_at=now, due_at=now + wait)
