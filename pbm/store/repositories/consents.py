"""Blocks between players, and standing consents to moves."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import or_, select, union_all

from pbm.store.schema.asking import consents
from pbm.store.schema.people import blocks, players
from pbm.store.sql.transaction import Repository
from pbm.store.values.players import Player


class Blocks(Repository):
    """Queries about blocks, within one transaction."""

    def handles_of(self, player_id: int) -> tuple[str, ...]:
        """The handles that a player has blocked, in alphabetical order."""
        query = (
            select(players.c.handle)
            .join(blocks, blocks.c.blocked_id == players.c.id)
            .where(blocks.c.player_id == player_id)
        )
        return tuple(self._transaction.scalars(query.order_by(players.c.handle)))

    def among(self, player_ids: Collection[int]) -> frozenset[tuple[int, int]]:
        """The pairs among some players: who has blocked, and who is blocked."""
        query = select(blocks.c.player_id, blocks.c.blocked_id).where(
            blocks.c.player_id.in_(player_ids), blocks.c.blocked_id.in_(player_ids)
        )
        rows = self._transaction.execute(query)
        return frozenset((by, blocked) for by, blocked in rows)

    def around(self, player_id: int, others: Collection[int]) -> frozenset[int]:
        """The players among these who have blocked a player, or whom the player has blocked."""
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
        """Add a block of a player by another; it must not exist yet."""
        row = {"player_id": player_id, "blocked_id": blocked_id, "blocked_at": now}
        self._insert(blocks, **row)

    def drop(self, player_id: int, blocked_id: int) -> bool:
        """Delete a block; return whether there was one."""
        its = (blocks.c.player_id == player_id, blocks.c.blocked_id == blocked_id)
        return self._delete(blocks, *its) > 0


class Consents(Repository):
    """Queries about consents, within one transaction."""

    def give(self, player: Player, origin: str, now: datetime, *, over: datetime) -> None:
        """Store a consent; one given after `over` is not extended."""
        row = {"player_id": player.id, "origin": origin, "epoch": player.epoch, "given_at": now}
        insert = self._upsert(consents).values(**row)
        new, key = insert.excluded, (consents.c.player_id, consents.c.origin)
        self._transaction.execute(
            insert.on_conflict_do_update(
                index_elements=key,
                set_={"epoch": new.epoch, "given_at": new.given_at},
                where=or_(consents.c.given_at <= over, consents.c.epoch != new.epoch),
            )
        )

    def stands(self, player: Player, origin: str, *, since: datetime) -> bool:
        """Whether a consent was given after a moment, with no `newkey` since."""
        query = select(consents.c.given_at).where(
            consents.c.player_id == player.id,
            consents.c.origin == origin,
            consents.c.epoch == player.epoch,
            consents.c.given_at > since,
        )
        return self._transaction.scalars(query).first() is not None

    def forget_before(self, moment: datetime) -> None:
        """Delete the consents given before a moment."""
        self._delete(consents, consents.c.given_at < moment)
