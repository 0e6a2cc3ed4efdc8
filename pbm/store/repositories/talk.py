"""Recent words of players on boards, and reports to the operator."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select

from pbm.store.schema.asking import reports, words
from pbm.store.schema.people import players
from pbm.store.sql.transaction import Repository
from pbm.store.values.players import Report, Said

_AT_ONCE = 1000  # rows deleted by one statement


class Words(Repository):
    """Queries about words, within one transaction."""

    def add(self, board_id: int, player_id: int, lines: Sequence[str], now: datetime) -> None:
        """Store a player's words to the others of a board."""
        row = {"board_id": board_id, "player_id": player_id, "lines": list(lines)}
        self._insert(words, **row, said_at=now)

    def of_others(self, board_id: int, player_id: int, *, most: int) -> tuple[Said, ...]:
        """The last words on a board by players other than one, oldest first."""
        query = (
            select(players.c.handle, words.c.said_at, words.c.lines)
            .join(players, players.c.id == words.c.player_id)
            .where(words.c.board_id == board_id, words.c.player_id != player_id)
            .order_by(words.c.id.desc())
            .limit(most)
        )
        rows = self._transaction.execute(query).all()
        return tuple(Said(handle, at, tuple(lines)) for handle, at, lines in reversed(rows))

    def forget_before(self, moment: datetime) -> bool:
        """Delete a batch of words older than a moment; return whether there may be more."""
        old = select(words.c.id).where(words.c.said_at < moment).limit(_AT_ONCE)
        query = delete(words).where(words.c.id.in_(old.scalar_subquery()))
        return self._transaction.execute(query).rowcount == _AT_ONCE


class Reports(Repository):
    """Queries about reports, within one transaction."""

    def add(
        self,
        player_id: int,
        board_id: int,
        lines: Sequence[str],
        words: Sequence[dict[str, Any]],
        now: datetime,
    ) -> int:
        """Store a player's report, with the words of others; return its number."""
        row = {"player_id": player_id, "board_id": board_id, "reported_at": now}
        return self._add(reports, **row, lines=list(lines), words=list(words))

    def newest(self, most: int) -> tuple[Report, ...]:
        """The newest reports, the newest last."""
        columns = (column for column in reports.c if column.key != "player_id")
        query = (
            select(*columns, players.c.handle)
            .join(players, players.c.id == reports.c.player_id)
            .order_by(reports.c.id.desc())
            .limit(most)
        )
        rows = self._rows(query)
        return tuple(
            Report(**{**row, "lines": tuple(row["lines"]), "words": tuple(row["words"])})
            for row in reversed(rows)
        )

    def forget_before(self, moment: datetime) -> None:
        """Delete reports older than a moment."""
        self._delete(reports, reports.c.reported_at < moment)
