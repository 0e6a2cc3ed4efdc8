"""Notices about no board, stored for a player's next digest."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select

from pbm.store.schema.mails import kept_notices
from pbm.store.sql.transaction import Repository

MOST_NOTICES = 40  # for one player


class KeptNotices(Repository):
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

    def forget(self, player_id: int) -> None:
        self._delete(kept_notices, kept_notices.c.player_id == player_id)
