"""Blocks: whom a player wants nothing from."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, insert, or_, select, union_all

from pbm.store.schema.people import blocks, players
from pbm.store.sql.transaction import Transaction


class Blocks:
    """Queries about blocks, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def handles_of(self, player_id: int) -> tuple[str, ...]:
        """The handles of those whom a player has blocked, in the order of the alphabet."""
        query = (
            select(players.c.handle)
            .join(blocks, blocks.c.blocked_id == players.c.id)
            .where(blocks.c.player_id == player_id)
        )
        return tuple(self._transaction.scalars(query.order_by(players.c.handle)))

    def among(self, player_ids: Collection[int]) -> frozenset[tuple[int, int]]:
        """Who of some players has blocked whom of them."""
        query = select(blocks.c.player_id, blocks.c.blocked_id).where(
            blocks.c.player_id.in_(player_ids), blocks.c.blocked_id.in_(player_ids)
        )
        rows = self._transaction.execute(query)
        return frozenset((by, blocked) for by, blocked in rows)

    def around(self, player_id: int, others: Collection[int]) -> frozenset[int]:
        """Those of some players who have blocked a player, or whom the player has blocked."""
        pairs = union_all(
            select(blocks.c.player_id).where(
                blocks.c.blocked_id == player_id, blocks.c.player_id.in_(others)
            ),
            select(blocks.c.blocked_id).where(
                blocks.c.player_id == player_id, blocks.c.blocked_id.in_(others)
            ),
        )
        return frozenset(self._transaction.scalars(pairs))

    def add(self, player_id: int, blocked_id: int, now: datetime) -> None:
        """Let a player block another, who is not blocked yet."""
        row = {"player_id": player_id, "blocked_id": blocked_id, "blocked_at": now}
        self._transaction.execute(insert(blocks).values(**row))

    def drop(self, player_id: int, blocked_id: int) -> bool:
        """Lift a block; whether there was one."""
        its = (blocks.c.player_id == player_id, blocks.c.blocked_id == blocked_id)
        return self._transaction.execute(delete(blocks).where(*its)).rowcount > 0

    def forget(self, player_id: int) -> None:
        """Lift all blocks by a player, and of a player."""
        either = or_(blocks.c.player_id == player_id, blocks.c.blocked_id == player_id)
        self._transaction.execute(delete(blocks).where(either))
