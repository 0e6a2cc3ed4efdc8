"""What players are told with the next digest: kept until then, and taken for one mail."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, insert, select

from pbm.store.schema.mails import kept_news
from pbm.store.transaction import GUARDED, Transaction
from pbm.store.values.mails import News

_COLUMNS = (kept_news.c.after_ply, kept_news.c.told, kept_news.c.size, kept_news.c.kept_at)


class KeptNews:
    """Queries about kept news, within one transaction.

    News of a board are kept and taken with the board locked, so that one mail tells them.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def keep(self, player_ids: Sequence[int], board_id: int, news: News) -> None:
        """Keep the same news of a board for several players."""
        row = {"board_id": board_id, **vars(news)}
        rows = [{"player_id": player_id, **row} for player_id in player_ids]
        if rows:
            self._transaction.execute(insert(kept_news).execution_options(**GUARDED), rows)

    def sizes(self, player_ids: Sequence[int], board_id: int) -> dict[int, int]:
        """How much is kept of a board, for each player for whom something is."""
        query = (
            select(kept_news.c.player_id, func.sum(kept_news.c.size))
            .where(kept_news.c.player_id.in_(player_ids), kept_news.c.board_id == board_id)
            .group_by(kept_news.c.player_id)
        )
        return {player_id: int(size) for player_id, size in self._transaction.execute(query)}

    def boards(self, player_id: int, until: datetime) -> dict[int, int]:
        """The boards of which a player was to be told until a moment, and how much of each is
        kept by now."""
        query = (
            select(kept_news.c.board_id, func.sum(kept_news.c.size))
            .where(kept_news.c.player_id == player_id)
            .group_by(kept_news.c.board_id)
            .having(func.min(kept_news.c.kept_at) <= until)
            .order_by(kept_news.c.board_id)
        )
        return {board_id: int(size) for board_id, size in self._transaction.execute(query)}

    def take(self, player_id: int, board_id: int) -> tuple[News, ...]:
        """Take everything that is kept for a player about a board, in order, to be told now."""
        theirs = (kept_news.c.player_id == player_id, kept_news.c.board_id == board_id)
        taken = delete(kept_news).where(*theirs).returning(kept_news.c.id, *_COLUMNS)
        guarded = taken.execution_options(**GUARDED)
        rows = sorted(self._transaction.execute(guarded).mappings(), key=lambda row: row["id"])
        return tuple(News(**{name.name: row[name.name] for name in _COLUMNS}) for row in rows)

    def forget(self, player_id: int) -> None:
        """Drop what is kept for a player."""
        self._transaction.execute(delete(kept_news).where(kept_news.c.player_id == player_id))
