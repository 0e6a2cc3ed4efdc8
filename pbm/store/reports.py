"""What players have reported to the operator."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select

from pbm.store.schema.people import players
from pbm.store.schema.talk import reports
from pbm.store.sql.transaction import Transaction
from pbm.store.values.talk import Report


class Reports:
    """Queries about reports, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def add(
        self,
        player_id: int,
        board_id: int,
        lines: Sequence[str],
        words: Sequence[dict[str, Any]],
        now: datetime,
    ) -> int:
        """Keep what a player reports, with the words of others; return its number."""
        row = {"player_id": player_id, "board_id": board_id, "reported_at": now}
        added = self._transaction.execute(
            insert(reports)
            .values(**row, lines=list(lines), words=list(words))
            .returning(reports.c.id)
        )
        return int(added.scalar_one())

    def newest(self, most: int) -> tuple[Report, ...]:
        """The newest reports, the newest last."""
        columns = (column for column in reports.c if column.key != "player_id")
        query = (
            select(*columns, players.c.handle)
            .join(players, players.c.id == reports.c.player_id)
            .order_by(reports.c.id.desc())
            .limit(most)
        )
        rows = self._transaction.execute(query).mappings().all()
        return tuple(
            Report(**{**row, "lines": tuple(row["lines"]), "words": tuple(row["words"])})
            for row in reversed(rows)
        )

    def forget_before(self, moment: datetime) -> None:
        """Forget what was reported before a moment."""
        self._transaction.execute(delete(reports).where(reports.c.reported_at < moment))
