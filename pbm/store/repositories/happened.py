"""Queries about events of boards, and about what readers are told later."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import String, bindparam, cast, delete, func, insert, literal, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.store.schema.happened import board_events, readers
from pbm.store.schema.mails import kept_notices
from pbm.store.schema.people import players
from pbm.store.schema.running import due
from pbm.store.sql.statement import Statement
from pbm.store.sql.transaction import Repository, read_as
from pbm.store.values.happened import KeptEvent, NewEvent, Waiting
from pbm.store.values.queues import TimerKind

_OF_BOARD = board_events.c.board_id == bindparam("board")
_LAST = select(func.coalesce(func.max(board_events.c.number), 0)).where(_OF_BOARD)
_ADD = Statement(
    insert(board_events).values(
        {column.key: bindparam(column.key) for column in board_events.c if column.key != "number"}
        | {"board_id": bindparam("board"), "number": _LAST.scalar_subquery() + 1}
    )
)
_ON_BOARD = readers.c.board_id == bindparam("board")
_TELL_ALL = Statement(
    update(readers).where(_ON_BOARD, readers.c.since.is_(None)).values(seen=_LAST.scalar_subquery())
)
_WAITING = Statement(select(readers).where(_ON_BOARD, readers.c.since.is_not(None)))


class Happened(Repository):
    """Events of boards. Callers must have locked the board."""

    def add(self, board_id: int, events: Sequence[NewEvent]) -> None:
        """Add events to a board. Readers for whom nothing waits count as told of them."""
        _ADD.run(self._transaction, *({"board": board_id, **vars(event)} for event in events))
        _TELL_ALL.run(self._transaction, {"board": board_id})

    def since(self, board_id: int, number: int) -> tuple[KeptEvent, ...]:
        """Return a board's events after the one with this number, in order."""
        its = (board_events.c.board_id == board_id, board_events.c.number > number)
        query = select(board_events).where(*its).order_by(board_events.c.number)
        return self._all(KeptEvent, query)

    def last(self, board_id: int) -> int:
        """Return the number of a board's last event; 0 if it has none."""
        return int(self._transaction.execute(_LAST, {"board": board_id}).scalar() or 0)

    def caused_by(self, inbox_id: int) -> dict[int, list[KeptEvent]]:
        """Return the events that a mail caused, by the number of their board. Reads all events."""
        query = select(board_events).where(board_events.c.cause == inbox_id)
        rows = self._rows(query.order_by(board_events.c.board_id, board_events.c.number))
        boards = groupby(rows, itemgetter("board_id"))
        return {number: [read_as(KeptEvent, row) for row in its] for number, its in boards}

    def counted(self, board_id: int) -> tuple[int, int]:
        """Return how many events a board has, and the number of the last one."""
        count, last = func.count(), func.coalesce(func.max(board_events.c.number), 0)
        row = self._transaction.execute(
            select(count, last).where(board_events.c.board_id == board_id)
        ).one()
        return int(row[0]), int(row[1])


class Readers(Repository):
    """Up to where players were told of boards. Callers must have locked the board to write."""

    def seat(self, board_id: int, player_ids: Collection[int]) -> None:
        """Add the readers of a board, who are told what happens from now on.

        Those that it has already stay as they are.
        """
        row = {"board_id": board_id, "seen": _LAST.scalar_subquery()}
        for player_id in dict.fromkeys(player_ids):
            added = upsert(readers).values(**row, player_id=player_id).on_conflict_do_nothing()
            self._transaction.execute(added, {"board": board_id})

    def leave(self, board_id: int, player_id: int) -> None:
        self._delete(readers, readers.c.board_id == board_id, readers.c.player_id == player_id)

    def mute(self, board_id: int, player_id: int, *, muted: bool) -> None:
        """Say whether a reader wants no words of a board."""
        its = (readers.c.board_id == board_id, readers.c.player_id == player_id)
        self._update(readers, *its, muted=muted)

    def waiting(self, board_id: int) -> Mapping[int, Waiting]:
        """Return the readers for whom events of a board wait, by player number."""
        rows = _WAITING.rows(self._transaction, board=board_id)
        return {row["player_id"]: read_as(Waiting, row) for row in rows}

    def keep(self, board_id: int, sizes: Mapping[int, int], now: datetime) -> None:
        """Let the events that are added next wait for readers; `sizes` has what they add."""
        for player_id, size in sizes.items():
            self._update(
                readers,
                readers.c.board_id == board_id,
                readers.c.player_id == player_id,
                since=func.coalesce(readers.c.since, literal(now, readers.c.since.type)),
                waiting=readers.c.waiting + size,
            )

    def tell(self, board_id: int, player_ids: Collection[int]) -> None:
        """Note that readers are told of all events of a board so far, so that none waits."""
        told = update(readers).where(_ON_BOARD, readers.c.player_id.in_(player_ids))
        told = told.values(seen=_LAST.scalar_subquery(), since=None, waiting=0)
        self._transaction.execute(told, {"board": board_id})

    def boards(self, player_id: int, until: datetime) -> dict[int, int]:
        """Return the boards with events waiting from before `until`, each with their size."""
        its = (readers.c.player_id == player_id, readers.c.since <= until)
        query = select(readers.c.board_id, readers.c.waiting).where(*its)
        rows = self._transaction.execute(query.order_by(readers.c.board_id))
        return {row.board_id: row.waiting for row in rows}

    def told_soon(self, player_ids: Collection[int], until: datetime) -> frozenset[int]:
        """Return those of the players who will be mailed what waits by the time `until`."""
        about = cast(readers.c.player_id, String) + "." + cast(readers.c.board_id, String)
        theirs = (
            select(readers.c.player_id)
            .join(due, (due.c.kind == TimerKind.KEPT_NEWS.value) & (due.c.about == about))
            .where(readers.c.player_id == players.c.id, readers.c.since.is_not(None))
            .where(~due.c.stuck, due.c.due_at <= until)
        )
        query = select(players.c.id).where(players.c.id.in_(player_ids), theirs.exists())
        return frozenset(self._scalars(query)) if player_ids else frozenset()

    def furthest(self, board_id: int) -> int:
        """Return the number of the last event of a board that any reader was told of."""
        return self._count(select(func.max(readers.c.seen)).where(readers.c.board_id == board_id))

    def forget(self, player_id: int) -> None:
        """Let nothing wait for a player on any board."""
        self._update(readers, readers.c.player_id == player_id, since=None, waiting=0)


MOST_NOTICES = 40  # for one player


class KeptNotices(Repository):
    """Notices about no board, stored for a player's next digest."""

    def is_full(self, player_id: int) -> bool:
        theirs = kept_notices.c.player_id == player_id
        return self._count(select(func.count()).where(theirs)) >= MOST_NOTICES

    def keep(self, player_id: int, told: dict[str, Any], now: datetime) -> None:
        """Store a notice for a player. If `MOST_NOTICES` are stored already, this does nothing."""
        if not self.is_full(player_id):
            self._insert(kept_notices, player_id=player_id, told=told, kept_at=now)

    def take(self, player_id: int) -> list[dict[str, Any]]:
        """Delete and return all notices kept for a player, oldest first."""
        taken = delete(kept_notices).where(kept_notices.c.player_id == player_id)
        rows = self._rows(taken.returning(kept_notices.c.id, kept_notices.c.told))
        return [row["told"] for row in sorted(rows, key=lambda row: row["id"])]

    def exist(self, player_id: int) -> bool:
        return self._exists(select(kept_notices.c.id).where(kept_notices.c.player_id == player_id))
