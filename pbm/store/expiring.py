"""What expires unless somebody answers in time: questions, challenges that wait, seeks."""

from datetime import datetime, timedelta

from sqlalchemy import bindparam, select, true, update

from pbm.store.schema.asking import challenges, questions
from pbm.store.schema.columns import OPEN
from pbm.store.schema.seeking import seeks
from pbm.store.transaction import Transaction

_EXPIRING = (
    (questions, questions.c.asked_at, questions.c.answer.is_(None)),
    (challenges, challenges.c.asked_at, true()),
    (seeks, seeks.c.made_at, seeks.c.status == OPEN),
)


class Expiring:
    """Moves the ends of whatever is open, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def put_off(self, since: datetime, by: timedelta) -> None:
        """Let everything expire later that was open at a moment."""
        for table, begun_at, is_open in _EXPIRING:
            was_open = (is_open, begun_at <= since, table.c.expires_at > since)
            query = select(table.c.id, table.c.expires_at).where(*was_open).order_by(table.c.id)
            found = self._transaction.execute(query.with_for_update()).all()
            rows = [{"number": row.id, "later": row.expires_at + by} for row in found]
            if rows:
                later = update(table).where(table.c.id == bindparam("number"))
                self._transaction.execute(later.values(expires_at=bindparam("later")), rows)
