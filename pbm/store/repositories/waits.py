"""Clock data of boards, and delivery of reminders."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, exists, insert, or_, select, update

from pbm.store.repositories.boards import Boards, plain_stops
from pbm.store.schema.columns import DUE
from pbm.store.schema.games import seats
from pbm.store.schema.mails import outbox, reminded_boards
from pbm.store.sql.transaction import Transaction
from pbm.store.values.boards import Board
from pbm.store.values.kinds import Kind
from pbm.store.values.mails import OutboxStatus


class Waits:
    """Writes clock data of boards, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._boards = Boards(transaction)

    def note_reminded(self, board: Board, times: int) -> None:
        """Store the number of reminders about the awaited move."""
        self._boards.change(board.id, reminded=times)

    def set(self, board: Board, **changed: Any) -> Board:
        """Change clock data of a board: `given`, `stops`, `reminded`, `paused_since`."""
        stored = dict(changed)
        if "stops" in changed:
            stored["stops"] = plain_stops(changed["stops"])
        self._boards.change(board.id, **stored)
        return replace(board, **changed)

    def set_stopped(self, board: Board, seat: int, stopped: int) -> None:
        """Store how many seconds a clock stood still because mail to its player bounced."""
        self._transaction.execute(
            update(seats)
            .where(seats.c.board_id == board.id, seats.c.seat == seat)
            .values(stopped=stopped),
        )

    def set_used(self, board: Board, seat: int, used: int, banked: int | None) -> None:
        """Store the seconds used of a seat's clock, and those left in its bank."""
        self._transaction.execute(
            update(seats)
            .where(seats.c.board_id == board.id, seats.c.seat == seat)
            .values(used=used, banked=banked),
        )


_ARRIVED = and_(
    outbox.c.status == OutboxStatus.SENT, outbox.c.last_error.is_(None)
)  # and not bounced yet


class Reminders:
    """Queries about reminders, which are mails of the outbox, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def name_boards(self, message_id: str, board_ids: Sequence[int]) -> None:
        """Store the boards that a reminder mail is about, at least one."""
        mail = select(outbox.c.id).where(outbox.c.message_id == message_id).scalar_subquery()
        rows = [{"board_id": board_id} for board_id in board_ids]
        self._transaction.execute(insert(reminded_boards).values(outbox_id=mail), rows)

    def was_taken(self, player_id: int, board_id: int, since: datetime, until: datetime) -> bool:
        """Whether a reminder of a board, written since a moment, was delivered until another.

        A reminder that bounced later does not count.
        """
        reminders = _reminders(player_id, board_id, since)
        return self._any(reminders.where(_ARRIVED, outbox.c.finished_at <= until))

    def is_under_way(self, player_id: int, board_id: int, since: datetime) -> bool:
        """Whether a reminder of a board, written since a moment, is waiting or was delivered.

        A reminder that bounced does not count.
        """
        reminders = _reminders(player_id, board_id, since)
        return self._any(reminders.where(or_(outbox.c.status == DUE, _ARRIVED)))

    def _any(self, query: Select[Any]) -> bool:
        return self._transaction.scalars(query.limit(1)).first() is not None


def _reminders(player_id: int, board_id: int, since: datetime) -> Select[Any]:
    """The reminders of a board to a player that were written since a moment."""
    names_it = exists().where(
        reminded_boards.c.outbox_id == outbox.c.id, reminded_boards.c.board_id == board_id
    )
    return select(outbox.c.id).where(
        outbox.c.player_id == player_id,
        outbox.c.kind.in_((Kind.REMINDER, Kind.REMINDERS)),
        outbox.c.written_at >= since,
        or_(outbox.c.board_id == board_id, names_it),
    )
