"""Analyses of games that are over: what has been found so far, and who waits for it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update

from pbm.store.schema.thinking import analyses, analysis_readers
from pbm.store.sql.transaction import Transaction
from pbm.store.values.thoughts import KeptAnalysis


class Analyses:
    """Queries about analyses, within one transaction. The board's row is locked for what writes."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def find(self, board_id: int) -> KeptAnalysis | None:
        """What is kept about a board, finished or not."""
        columns = (column for column in analyses.c if column.key != "began_at")
        query = select(*columns).where(analyses.c.board_id == board_id)
        row = self._transaction.execute(query).mappings().one_or_none()
        return KeptAnalysis(**row) if row else None

    def begin(self, board_id: int, mark: str, now: datetime) -> None:
        """Begin one, in place of what is kept of the game as it was before."""
        self._transaction.execute(delete(analyses).where(analyses.c.board_id == board_id))
        row = {"board_id": board_id, "mark": mark, "found": {}, "began_at": now}
        self._transaction.execute(insert(analyses).values(**row))

    def keep(
        self, board_id: int, found: Mapping[str, Any], finished_at: datetime | None = None
    ) -> None:
        """Keep what has been found so far, or all of it."""
        row = {"found": dict(found), "finished_at": finished_at}
        self._transaction.execute(
            update(analyses).where(analyses.c.board_id == board_id).values(**row)
        )

    def drop(self, board_id: int) -> None:
        """Forget what has been found; another request begins anew."""
        self._transaction.execute(delete(analyses).where(analyses.c.board_id == board_id))

    def readers(self, board_id: int) -> tuple[int, ...]:
        """The players who wait for the analysis of a board, by number."""
        waits = analysis_readers.c
        query = select(waits.player_id).where(waits.board_id == board_id)
        return tuple(self._transaction.scalars(query.order_by(waits.player_id)))

    def add_reader(self, board_id: int, player_id: int) -> None:
        """Let a player wait for it who does not yet."""
        self._transaction.execute(
            insert(analysis_readers).values(board_id=board_id, player_id=player_id)
        )

    def forget_readers(self, board_id: int) -> None:
        """Nobody waits for it any more."""
        self._transaction.execute(
            delete(analysis_readers).where(analysis_readers.c.board_id == board_id)
        )
