"""What players are told with the next digest: kept until then, and taken for one mail."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import String, cast, delete, func, insert, select

from pbm.store.schema.mails import kept_news, kept_notices
from pbm.store.schema.people import players
from pbm.store.schema.running import due
from pbm.store.sql.transaction import Transaction
from pbm.store.values.mails import News
from pbm.store.values.timers import TimerKind

_COLUMNS = (kept_news.c.after_ply, kept_news.c.told, kept_news.c.size, kept_news.c.kept_at)
MOST_NOTICES = 40  # for one player, about no board


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
            self._transaction.execute(insert(kept_news), rows)

    def sizes(self, player_ids: Collection[int], board_id: int) -> dict[int, int]:
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

    def told_soon(self, player_ids: Collection[int], until: datetime) -> frozenset[int]:
        """Those of some players for whom news are kept that are told until a moment, apart from
        their digests."""
        about = cast(kept_news.c.player_id, String) + "." + cast(kept_news.c.board_id, String)
        theirs = (
            select(kept_news.c.id)
            .join(due, (due.c.kind == TimerKind.KEPT_NEWS.value) & (due.c.about == about))
            .where(kept_news.c.player_id == players.c.id, ~due.c.stuck, due.c.due_at <= until)
        )
        query = select(players.c.id).where(players.c.id.in_(player_ids), theirs.exists())
        return frozenset(self._transaction.scalars(query)) if player_ids else frozenset()

    def keep_notice(self, player_id: int, told: dict[str, Any], now: datetime) -> None:
        """Keep something for a player that is about no board, unless `MOST_NOTICES` are kept."""
        theirs = kept_notices.c.player_id == player_id
        count = select(func.count()).select_from(kept_notices).where(theirs)
        if (self._transaction.scalar(count) or 0) < MOST_NOTICES:
            row = {"player_id": player_id, "told": told, "kept_at": now}
            self._transaction.execute(insert(kept_notices).values(row))

    def take_notices(self, player_id: int) -> list[dict[str, Any]]:
        """Take all that is kept for a player about no board, in order, to be told now."""
        taken = delete(kept_notices).where(kept_notices.c.player_id == player_id)
        returned = taken.returning(kept_notices.c.id, kept_notices.c.told)
        rows = self._transaction.execute(returned).mappings()
        return [row["told"] for row in sorted(rows, key=lambda row: row["id"])]

    def has_notices(self, player_id: int) -> bool:
        """Whether something is kept for a player that is about no board."""
        query = select(kept_notices.c.id).where(kept_notices.c.player_id == player_id).limit(1)
        return self._transaction.scalar(query) is not None

    def take(self, player_ids: Collection[int], board_id: int) -> Mapping[int, tuple[News, ...]]:
        """Take everything that is kept for some players about a board, in order, to be told now."""
        found: dict[int, tuple[News, ...]] = defaultdict(tuple)
        if not player_ids:
            return found
        theirs = (kept_news.c.player_id.in_(player_ids), kept_news.c.board_id == board_id)
        columns = (kept_news.c.id, kept_news.c.player_id, *_COLUMNS)
        taken = delete(kept_news).where(*theirs).returning(*columns)
        guarded = taken
        rows = self._transaction.execute(guarded).mappings()
        for row in sorted(rows, key=lambda row: row["id"]):
            news = News(**{name.name: row[name.name] for name in _COLUMNS})
            found[row["player_id"]] += (news,)
        return found

    def forget(self, player_id: int) -> None:
        """Drop what is kept for a player."""
        for table in (kept_news, kept_notices):
            self._transaction.execute(delete(table).where(table.c.player_id == player_id))
