"""Queries about reminders before time runs out, and about vacations, which stop clocks."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import Select, and_, bindparam, exists, func, insert, or_, select

from pbm.store.schema.columns import DUE
from pbm.store.schema.mails import outbox, reminded_boards
from pbm.store.schema.people import vacations
from pbm.store.sql.statement import Read, Statement, rows_of
from pbm.store.sql.transaction import Repository, read_as
from pbm.store.values.mails import Kind, OutboxStatus
from pbm.store.values.players import Vacation

# A mail has arrived if it was sent and has not bounced yet.
_ARRIVED = and_(outbox.c.status == OutboxStatus.SENT, outbox.c.last_error.is_(None))


class Reminders(Repository):
    def name_boards(self, message_id: str, board_ids: Sequence[int]) -> None:
        """Store which boards a reminder mail is about. There must be at least one."""
        mail = select(outbox.c.id).where(outbox.c.message_id == message_id).scalar_subquery()
        rows = [{"board_id": board_id} for board_id in board_ids]
        self._transaction.execute(insert(reminded_boards).values(outbox_id=mail), rows)

    def was_taken(self, player_id: int, board_id: int, since: datetime, until: datetime) -> bool:
        """Return whether a player got a reminder about a board between `since` and `until`."""
        reminders = _reminders(player_id, board_id, since)
        return self._exists(reminders.where(_ARRIVED, outbox.c.finished_at <= until))

    def is_under_way(self, player_id: int, board_id: int, since: datetime) -> bool:
        """Return whether a reminder written at `since` or later was sent, or waits to be sent."""
        reminders = _reminders(player_id, board_id, since)
        return self._exists(reminders.where(or_(outbox.c.status == DUE, _ARRIVED)))


def _reminders(player_id: int, board_id: int, since: datetime) -> Select[Any]:
    names_it = exists().where(
        reminded_boards.c.outbox_id == outbox.c.id, reminded_boards.c.board_id == board_id
    )
    return select(outbox.c.id).where(
        outbox.c.player_id == player_id,
        outbox.c.kind.in_((Kind.REMINDER, Kind.REMINDERS)),
        outbox.c.written_at >= since,
        or_(outbox.c.board_id == board_id, names_it),
    )


_OF_PLAYER = Statement(
    select(vacations)
    .where(
        vacations.c.player_id == bindparam("player_id"), vacations.c.last_day >= bindparam("since")
    )
    .order_by(vacations.c.first_day, vacations.c.id)
)


def vacations_read(player_id: int, since: date) -> Read:
    """Return the query of `Vacations.of_player`, as an argument for `UnitOfWork.prefetch`."""
    return _OF_PLAYER, {"player_id": player_id, "since": since}


class Vacations(Repository):
    def of_player(self, player_id: int, since: date) -> tuple[Vacation, ...]:
        """Return a player's vacations that end on the day `since` or later, sorted by first day."""
        (rows,) = rows_of(self._transaction, vacations_read(player_id, since))
        return tuple(read_as(Vacation, row) for row in rows)

    def find(self, vacation_id: int) -> Vacation | None:
        return self._first(Vacation, select(vacations).where(vacations.c.id == vacation_id))

    def away_among(self, player_ids: Collection[int], today: date) -> dict[int, date]:
        """Return who of the players is on vacation from all boards today, with the last day."""
        query = (
            select(vacations.c.player_id, func.max(vacations.c.last_day))
            .where(
                vacations.c.player_id.in_(player_ids),
                vacations.c.last_day >= today,
                vacations.c.first_day <= today,
                vacations.c.board_id.is_(None),
            )
            .group_by(vacations.c.player_id)
        )
        return {row.player_id: row[1] for row in self._transaction.execute(query)}

    def add(self, player_id: int, first: date, last: date, board_id: int | None = None) -> int:
        row = {"player_id": player_id, "board_id": board_id, "first_day": first, "last_day": last}
        return self._add(vacations, **row)

    def keep_zone(self, player_id: int, zone: str, today: date) -> None:
        """Fix the time zone of a player's vacations that have begun, unless it is fixed already."""
        begun = vacations.c.zone.is_(None) & (vacations.c.first_day <= today)
        self._update(vacations, vacations.c.player_id == player_id, begun, zone=zone)

    def end_on(self, vacation: Vacation, last: date) -> None:
        """Let a vacation end on the day `last`. Delete the vacation if it begins later."""
        its = vacations.c.id == vacation.id
        if last < vacation.first_day:
            self._delete(vacations, its)
        else:
            self._update(vacations, its, last_day=last)
