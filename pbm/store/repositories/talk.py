"""Queries about blocks, comments on boards, notes, and reports to the operator.

A block keeps two players out of new games with each other.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select, union_all

from pbm.store.schema.asking import reports, words
from pbm.store.schema.people import blocks, players
from pbm.store.schema.plans import notes
from pbm.store.sql.transaction import Repository
from pbm.store.values.boards import Board
from pbm.store.values.players import Report, Said

_AT_ONCE = 1000  # rows deleted by one statement


class Blocks(Repository):
    def handles_of(self, player_id: int) -> tuple[str, ...]:
        """Return the handles that a player has blocked, in alphabetical order."""
        query = (
            select(players.c.handle)
            .join(blocks, blocks.c.blocked_id == players.c.id)
            .where(blocks.c.player_id == player_id)
        )
        return self._scalars(query.order_by(players.c.handle))

    def among(self, player_ids: Collection[int]) -> frozenset[tuple[int, int]]:
        """Return the blocks among some players, as pairs of the blocker and the blocked player."""
        query = select(blocks.c.player_id, blocks.c.blocked_id).where(
            blocks.c.player_id.in_(player_ids), blocks.c.blocked_id.in_(player_ids)
        )
        rows = self._transaction.execute(query)
        return frozenset((by, blocked) for by, blocked in rows)

    def around(self, player_id: int, others: Collection[int]) -> frozenset[int]:
        """Return those players in `others` who block `player_id` or whom `player_id` blocks."""
        pairs = union_all(
            select(blocks.c.player_id).where(
                blocks.c.blocked_id == player_id, blocks.c.player_id.in_(others)
            ),
            select(blocks.c.blocked_id).where(
                blocks.c.player_id == player_id, blocks.c.blocked_id.in_(others)
            ),
        )
        return frozenset(self._scalars(pairs))

    def add(self, player_id: int, blocked_id: int, now: datetime) -> None:
        """Store that a player blocks another one. There must be no such block yet."""
        row = {"player_id": player_id, "blocked_id": blocked_id, "blocked_at": now}
        self._insert(blocks, **row)

    def drop(self, player_id: int, blocked_id: int) -> bool:
        its = (blocks.c.player_id == player_id, blocks.c.blocked_id == blocked_id)
        return self._delete(blocks, *its) > 0


class Words(Repository):
    def add(self, board_id: int, player_id: int, lines: Sequence[str], now: datetime) -> int:
        """Store a comment, and return its number."""
        return self._add(words, board_id=board_id, player_id=player_id, lines=lines, said_at=now)

    def lines_of(self, numbers: Collection[int]) -> dict[int, tuple[str, ...]]:
        """Return the lines of comments by number, without those that are no longer kept."""
        query = select(words.c.id, words.c.lines).where(words.c.id.in_(numbers))
        return {row["id"]: row["lines"] for row in self._rows(query)} if numbers else {}

    def of_others(self, board_id: int, player_id: int, *, most: int) -> tuple[Said, ...]:
        """Return the last comments on a board by players other than `player_id`, oldest first."""
        query = (
            select(words, players.c.handle)
            .join(players, players.c.id == words.c.player_id)
            .where(words.c.board_id == board_id, words.c.player_id != player_id)
            .order_by(words.c.id.desc())
            .limit(most)
        )
        return self._all(Said, query)[::-1]

    def forget_before(self, moment: datetime) -> bool:
        """Delete a batch of comments older than a moment; return whether there may be more."""
        old = select(words.c.id).where(words.c.said_at < moment).limit(_AT_ONCE)
        return self._delete(words, words.c.id.in_(old.scalar_subquery())) == _AT_ONCE


class Notes(Repository):
    """What players note about boards for themselves."""

    def on_board(self, board: Board) -> dict[int, tuple[str, ...]]:
        """Return the lines of the notes on a board, by player number."""
        if not board.noted:
            return {}
        query = select(notes.c.player_id, notes.c.lines).where(notes.c.board_id == board.id)
        return {row["player_id"]: row["lines"] for row in self._rows(query)}

    def set(self, board_id: int, player_id: int, lines: Sequence[str], now: datetime) -> None:
        """Store a player's note in place of an older one; no lines erase it."""
        self._delete(notes, notes.c.board_id == board_id, notes.c.player_id == player_id)
        if lines:
            row = {"board_id": board_id, "player_id": player_id, "noted_at": now}
            self._insert(notes, **row, lines=lines)


class Reports(Repository):
    def add(
        self,
        player_id: int,
        board_id: int,
        lines: Sequence[str],
        words: Sequence[dict[str, Any]],
        now: datetime,
    ) -> int:
        """Store a player's report to the operator about a board, and return the report's number.

        `lines` are the player's text, and `words` are other players' comments on the board.
        """
        row = {"player_id": player_id, "board_id": board_id, "reported_at": now}
        return self._add(reports, **row, lines=lines, words=words)

    def newest(self, most: int) -> tuple[Report, ...]:
        """Return the `most` newest reports, in the order in which they were made."""
        query = (
            select(reports, players.c.handle)
            .join(players, players.c.id == reports.c.player_id)
            .order_by(reports.c.id.desc())
            .limit(most)
        )
        return self._all(Report, query)[::-1]

    def forget_before(self, moment: datetime) -> None:
        self._delete(reports, reports.c.reported_at < moment)
