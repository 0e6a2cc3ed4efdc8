"""Players and their verified addresses."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from pbm.store.schema import addresses, players
from pbm.store.values import FIRST_EPOCH, Player


class Players:
    """Queries about players, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, player_id: int) -> Player:
        """Return a player by id. Raises LookupError."""
        player = self.find(player_id)
        if player is None:
            raise LookupError(f"no player {player_id}")
        return player

    def find(self, player_id: int) -> Player | None:
        """Find a player by id."""
        return self._one(players.c.id == player_id)

    def by_handle(self, handle: str) -> Player | None:
        """Find a player by handle."""
        return self._one(players.c.handle == handle.lower())

    def by_address(self, address_key: str) -> Player | None:
        """Find the player to whom a verified address (whole lower-case) belongs."""
        owner = select(addresses.c.player_id).where(addresses.c.address_key == address_key)
        return self._one(players.c.id == owner.scalar_subquery())

    def handles_like(self, root: str) -> frozenset[str]:
        """The handles in use that begin so."""
        query = select(players.c.handle).where(players.c.handle.startswith(root, autoescape=True))
        return frozenset(self._connection.scalars(query))

    def some(self, player_ids: Collection[int]) -> tuple[Player, ...]:
        """Return several players, in the order of joining."""
        return self._all(players.c.id.in_(player_ids))

    def all(self) -> tuple[Player, ...]:
        """Return every player, in the order of joining."""
        return self._all()

    def add(self, handle: str, address: str, now: datetime) -> Player:
        """Register a player with a first verified address."""
        added = self._connection.execute(
            insert(players)
            .values(handle=handle, status="active", epoch=FIRST_EPOCH, joined_at=now)
            .returning(players.c.id)
        )
        player_id = added.scalar_one()
        self.add_address(player_id, address, now)
        return self.get(player_id)

    def add_address(self, player_id: int, address: str, now: datetime) -> None:
        """Record a verified address of a player."""
        self._connection.execute(
            insert(addresses).values(
                player_id=player_id,
                address=address,
                address_key=address.lower(),
                verified_at=now,
            )
        )

    def set_address(self, player_id: int, address: str, now: datetime) -> None:
        """Replace all addresses of a player by one."""
        self.drop_addresses(player_id)
        self.add_address(player_id, address, now)

    def drop_addresses(self, player_id: int) -> None:
        """Forget every address of a player."""
        self._connection.execute(addresses.delete().where(addresses.c.player_id == player_id))

    def renew_epoch(self, player_id: int) -> None:
        """Make every reply address given to this player so far useless."""
        self._connection.execute(
            update(players).where(players.c.id == player_id).values(epoch=players.c.epoch + 1)
        )

    def set_status(self, player_id: int, status: str) -> None:
        """Make a player active, suspended or removed."""
        self._connection.execute(
            update(players).where(players.c.id == player_id).values(status=status)
        )

    def _one(self, condition: ColumnElement[bool]) -> Player | None:
        return next(iter(self._all(condition)), None)

    def _all(self, *conditions: ColumnElement[bool]) -> tuple[Player, ...]:
        query = (
            select(players, addresses.c.address)
            .outerjoin(addresses, addresses.c.player_id == players.c.id)
            .where(*conditions)
            .order_by(players.c.id, addresses.c.id)
        )
        found: dict[int, tuple[Row[Any], list[str]]] = {}
        for row in self._connection.execute(query):
            _, own = found.setdefault(row.id, (row, []))
            own += [row.address] if row.address else []
        return tuple(
            Player(row.id, row.handle, row.status, row.epoch, row.joined_at, tuple(own))
            for row, own in found.values()
        )
