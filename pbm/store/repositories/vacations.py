"""Vacations: the days on which a player's clocks stand still."""

from collections.abc import Collection
from datetime import date

from sqlalchemy import bindparam, delete, func, insert, select, update

from pbm.store.schema.people import vacations
from pbm.store.sql.statement import Read, Statement, rows_of
from pbm.store.sql.transaction import Transaction
from pbm.store.values.players import Vacation

VACATION = (
    *(vacations.c.id, vacations.c.first_day, vacations.c.last_day),
    *(vacations.c.board_id, vacations.c.zone),
)

_OF_PLAYER = Statement(
    select(*VACATION)
    .where(
        vacations.c.player_id == bindparam("player_id"), vacations.c.last_day >= bindparam("since")
    )
    .order_by(vacations.c.first_day, vacations.c.id)
)


def vacations_read(player_id: int, since: date) -> Read:
    """The read of `Vacations.of_player` for a player."""
    return _OF_PLAYER, {"player_id": player_id, "since": since}


class Vacations:
    """Queries about vacations, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def of_player(self, player_id: int, since: date) -> tuple[Vacation, ...]:
        """A player's vacations that end on a day or later, in order."""
        (rows,) = rows_of(self._transaction, vacations_read(player_id, since))
        return tuple(Vacation(**row) for row in rows)

    def find(self, vacation_id: int) -> Vacation | None:
        """Find a vacation that was not dropped."""
        query = select(*VACATION).where(vacations.c.id == vacation_id)
        row = self._transaction.execute(query).mappings().one_or_none()
        return Vacation(**row) if row else None

    def away_among(self, player_ids: Collection[int], today: date) -> dict[int, date]:
        """The players among these who are away on a day on all their boards, and until when."""
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
        """Add a player's vacation from one day to another; return its number."""
        row = {"player_id": player_id, "board_id": board_id, "first_day": first, "last_day": last}
        added = insert(vacations).values(**row).returning(vacations.c.id)
        return int(self._transaction.execute(added).scalar_one())

    def keep_zone(self, player_id: int, zone: str, today: date) -> None:
        """Fix the time zone of a player's vacations that have already begun."""
        begun = vacations.c.zone.is_(None) & (vacations.c.first_day <= today)
        its = update(vacations).where(vacations.c.player_id == player_id, begun)
        self._transaction.execute(its.values(zone=zone))

    def end_on(self, vacation: Vacation, last: date) -> None:
        """Move the end of a vacation; an end before its first day deletes it."""
        its = vacations.c.id == vacation.id
        if last < vacation.first_day:
            self._transaction.execute(delete(vacations).where(its))
        else:
            self._transaction.execute(update(vacations).where(its).values(last_day=last))
