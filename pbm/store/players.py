"""Players and their verified addresses."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, insert, select, update

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
        query = select(players).where(players.c.id.in_(player_ids)).order_by(players.c.id)
        rows = self._connection.execute(query).mappings().all()
        owned = select(addresses.c.player_id, addresses.c.address).where(
            addresses.c.player_id.in_(player_ids)
        )
        found: dict[int, list[str]] = {}
        for player_id, address in self._connection.execute(owned.order_by(addresses.c.id)):
            found.setdefault(player_id, []).append(address)
        return tuple(Player(**row, addresses=tuple(found.get(row["id"], ()))) for row in rows)

    def all(self) -> tuple[Player, ...]:
        """Return every player, in the order of joining."""
        rows = self._connection.execute(select(players).order_by(players.c.id)).mappings()
        return tuple(self._player(row) for row in rows)

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
        query = select(players).where(condition)
        row = self._connection.execute(query).mappings().one_or_none()
        return self._player(row) if row else None

    def _player(self, row: RowMapping) -> Player:
        own = self._connection.scalars(
            select(addresses.c.address)
            .where(addresses.c.player_id == row["id"])
            .order_by(addresses.c.id)
        )
        return Player(**row, addresses=tuple(own))
