"""What expires unless somebody answers in time: questions, challenges that wait, seeks."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Table, bindparam, select, true, update

from pbm.store.schema.asking import challenges, questions
from pbm.store.schema.columns import OPEN
from pbm.store.schema.seeking import seeks
from pbm.store.sql.transaction import Transaction

_Expiring = tuple[tuple[Table, ColumnElement[Any], ColumnElement[bool]], ...]
_ANSWERS: _Expiring = (
    (questions, questions.c.asked_at, questions.c.answer.is_(None)),
    (challenges, challenges.c.asked_at, true()),
)
_SEEKS: _Expiring = ((seeks, seeks.c.made_at, seeks.c.status == OPEN),)
Shift = tuple[datetime, timedelta]  # what was open at a moment, and by how much it expires later


class Expiring:
    """Moves the ends of whatever is open, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def put_off_answers(self, shifts: Iterable[Shift]) -> None:
        """Let the questions and challenges expire later that were open at some moments."""
        for since, by in shifts:
            self._put_off(_ANSWERS, since, by)

    def put_off_seeks(self, shifts: Iterable[Shift]) -> None:
        """Let the seeks expire later that were open at some moments; they are locked."""
        for since, by in shifts:
            self._put_off(_SEEKS, since, by)

    def _put_off(self, expiring: _Expiring, since: datetime, by: timedelta) -> None:
        for table, begun_at, is_open in expiring:
            was_open = (is_open, begun_at <= since, table.c.expires_at > since)
            query = select(table.c.id, table.c.expires_at).where(*was_open).order_by(table.c.id)
            found = self._transaction.execute(query.with_for_update()).all()
            rows = [{"number": row.id, "later": row.expires_at + by} for row in found]
            if rows:
                later = update(table).where(table.c.id == bindparam("number"))
                self._transaction.execute(later.values(expires_at=bindparam("later")), rows)
