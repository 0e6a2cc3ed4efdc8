"""Queries about players and their verified addresses."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, fields
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, bindparam, exists, or_, select, union_all

from pbm.passwords import PasswordHash
from pbm.store.schema.games import seats
from pbm.store.schema.happened import readers
from pbm.store.schema.people import addresses, former_handles, players
from pbm.store.sql.driver import Row
from pbm.store.sql.statement import ColumnSetter, Read, Statement, among
from pbm.store.sql.transaction import Repository, known, read_as
from pbm.store.values.players import FIRST_EPOCH, Player, PlayerSettings, PlayerStatus


def with_addresses(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Return a query with a row for each address of a player, or one row if there is none."""
    return (
        select(players, addresses.c.address)
        .outerjoin(addresses, addresses.c.player_id == players.c.id)
        .where(*conditions)
        .order_by(players.c.id, addresses.c.id)
    )


_SETTINGS = {field.name for field in fields(PlayerSettings)}
_BY_ID = Statement(with_addresses(players.c.id == bindparam("player_id")))
_BY_HANDLE = Statement(with_addresses(players.c.handle == bindparam("handle")))
_BY_ADDRESS = Statement(
    with_addresses(
        players.c.id
        == select(addresses.c.player_id)
        .where(addresses.c.address_key == bindparam("address_key"))
        .scalar_subquery()
    )
)
_SET = ColumnSetter(players)
_READING = Statement(
    with_addresses(readers.c.board_id == bindparam("board_id"))
    .join(readers, readers.c.player_id == players.c.id)
    .add_columns(readers.c.muted)
)


_ACTIVE = Statement(
    select(players.c.handle).where(
        among(players.c.handle, "handles"), players.c.status == PlayerStatus.ACTIVE
    )
)
_EPOCH = Statement(
    select(players.c.epoch).where(
        players.c.id == bindparam("player_id"),
        exists().where(addresses.c.player_id == players.c.id),
    )
)


def readers_read(board_id: int) -> Read:
    """Return the query of `Players.reading`, as an argument for `UnitOfWork.prefetch`."""
    return _READING, {"board_id": board_id}


class Listed(NamedTuple):
    id: int
    handle: str
    joined_at: datetime
    robot: str | None


class Players(Repository):
    def get(self, player_id: int) -> Player:
        """Return a player by id. Raises LookupError."""
        return known(self.find(player_id), f"player {player_id}")

    def find(self, player_id: int) -> Player | None:
        known: Player | None = self._transaction.cache.get(("player", player_id))
        return known or self._one(_BY_ID, player_id=player_id)

    def epoch(self, player_id: int) -> int | None:
        """Return a player's epoch; None if the player has no mail address.

        Reply addresses depend on this number. `renew_epoch` increases it.
        """
        epoch: int | None = _EPOCH.value(self._transaction, player_id=player_id)
        return epoch

    def find_locked(self, player_id: int) -> Player | None:
        self.lock(player_id)
        return self.find(player_id)

    def lock(self, player_id: int) -> None:
        """Lock a player until the commit. Others can still insert rows that refer to the player."""
        self._transaction.execute(_locked(players.c.id, player_id))

    def by_handle(self, handle: str) -> Player | None:
        return self._one(_BY_HANDLE, handle=handle.lower())

    def by_address(self, address: str) -> Player | None:
        """Find the player with a verified mail address."""
        return self._one(_BY_ADDRESS, address_key=address.lower())

    def handles_among(self, handles: Collection[str]) -> frozenset[str]:
        query = select(players.c.handle).where(players.c.handle.in_(handles))
        return frozenset(self._scalars(query))

    def active_among(self, handles: Collection[str]) -> frozenset[str]:
        rows = _ACTIVE.rows(self._transaction, handles=list(handles))
        return frozenset(row["handle"] for row in rows)

    def some(self, player_ids: Collection[int]) -> tuple[Player, ...]:
        """Return the players with these numbers, in the order of joining."""
        return _players(self._rows(with_addresses(players.c.id.in_(player_ids))))

    def reading(self, board_id: int) -> tuple[Player, ...]:
        """Return the readers of a board, in the order of joining."""
        return self._several(_READING, board_id=board_id)

    def muting(self, board_id: int) -> frozenset[int]:
        """Return those readers of a board who want no words of it."""
        rows = _READING.rows(self._transaction, board_id=board_id)
        return frozenset(row["id"] for row in rows if row["muted"])

    def called(self, words: Collection[str]) -> dict[str, int]:
        """Return the people who have or had one of these words as a handle: their numbers."""
        has = select(players.c.handle, players.c.id).where(players.c.robot.is_(None))
        had = select(former_handles.c.handle, former_handles.c.player_id)
        both = has.where(players.c.handle.in_(words)), had.where(former_handles.c.handle.in_(words))
        return {row["handle"]: row["id"] for row in self._rows(union_all(*both))}

    def handles_of(self, player_ids: Collection[int]) -> dict[int, str]:
        query = select(players.c.id, players.c.handle).where(players.c.id.in_(player_ids))
        return {row.id: row.handle for row in self._transaction.execute(query)}

    def some_from(self, handle: str, *, most: int) -> tuple[tuple[Listed, ...], str | None]:
        """Return a page of players, sorted by handle, and the handle that begins the next page.

        The first `most` players from `handle` on are examined. Only active players are returned.
        """
        query = select(players).where(players.c.handle >= handle).order_by(players.c.handle)
        rows = self._transaction.execute(query.limit(most + 1)).all()
        active = (row for row in rows[:most] if row.status == PlayerStatus.ACTIVE)
        listed = tuple(Listed(row.id, row.handle, row.joined_at, row.robot) for row in active)
        return listed, rows[most].handle if len(rows) > most else None

    def after(self, player_id: int, *, most: int) -> tuple[Player, ...]:
        """Return the next players who are no robots, in the order of joining."""
        query = select(players.c.id).where(players.c.id > player_id, players.c.robot.is_(None))
        return self.some(self._scalars(query.order_by(players.c.id).limit(most)))

    def who_play(self, after: int = 0, *, most: int | None = None) -> tuple[int, ...]:
        """Return the ids of the next active players with boards in progress who are no robots."""
        plays = select(seats.c.board_id).where(seats.c.player_id == players.c.id, seats.c.playing)
        is_active = players.c.robot.is_(None), players.c.status == PlayerStatus.ACTIVE
        query = select(players.c.id).where(players.c.id > after, *is_active, plays.exists())
        return self._scalars(query.order_by(players.c.id).limit(most))

    def all(self) -> tuple[Player, ...]:
        """Return every player, in the order of joining."""
        return _players(self._rows(with_addresses()))

    def newest(self, most: int, search: str = "") -> tuple[Player, ...]:
        """Return the players who joined last and have this text in handle or address, in order."""
        its = or_(
            players.c.handle.contains(search.lower(), autoescape=True),
            players.c.id.in_(
                select(addresses.c.player_id).where(
                    addresses.c.address_key.contains(search.lower(), autoescape=True)
                )
            ),
        )
        numbers = select(players.c.id).where(its).order_by(players.c.id.desc()).limit(most)
        return self.some(self._scalars(numbers))

    def is_any_reachable(self) -> bool:
        """Return whether at least one player has a mail address."""
        return self._exists(select(addresses.c.id))

    def add(self, handle: str, address: str, now: datetime) -> Player:
        player_id = self._add(
            players, handle=handle, status=PlayerStatus.ACTIVE, epoch=FIRST_EPOCH, joined_at=now
        )
        self.add_address(player_id, address, now)
        return self.get(player_id)

    def add_robot(self, name: str, now: datetime) -> None:
        """Add a robot, whose handle is its name, unless that handle is taken."""
        if self.formerly(name) is None:
            row = {"handle": name, "robot": name, "status": "active", "epoch": FIRST_EPOCH}
            self._add_if_new(players, "handle", **row, joined_at=now)

    def add_address(self, player_id: int, address: str, now: datetime) -> None:
        row = {"player_id": player_id, "address": address, "address_key": address.lower()}
        self._insert(addresses, **row, verified_at=now)

    def set_addresses(self, player_id: int, new: Collection[str], now: datetime) -> None:
        """Replace all addresses of a player, and forget that mail to the old ones bounced."""
        self._delete(addresses, addresses.c.player_id == player_id)
        self.change(player_id, bounces=0, bounced_at=None, unreachable_since=None)
        for address in new:
            self.add_address(player_id, address, now)

    def renew_epoch(self, player_id: int) -> None:
        """Increase a player's epoch, so that all earlier reply addresses become invalid."""
        self._update(players, players.c.id == player_id, epoch=players.c.epoch + 1)

    def change_settings(self, player_id: int, **changes: Any) -> None:
        """Change some of a player's settings. Others stay, even those unknown to this version."""
        kept = self._transaction.scalar(_locked(players.c.settings, player_id))
        default = asdict(PlayerSettings())
        wanted = {**(kept or {}), **changes}.items()
        left = {name: value for name, value in wanted if value != default.get(name)}
        self.change(player_id, settings=left or None)

    def set_password(self, player_id: int, password_hash: PasswordHash | None) -> None:
        self.change(player_id, password_hash=password_hash.text if password_hash else None)

    def change_handle(self, player: Player, handle: str) -> None:
        """Change a player's handle. Nobody else can get the old one."""
        self._delete(former_handles, former_handles.c.handle == handle)
        self._insert(former_handles, handle=player.handle, player_id=player.id)
        self.change(player.id, handle=handle)

    def formerly(self, handle: str) -> int | None:
        """Return the number of the player who had this handle before changing it, or None."""
        query = select(former_handles.c.player_id).where(former_handles.c.handle == handle)
        return next(iter(self._scalars(query)), None)

    def begin_absence(self, player_id: int, now: datetime) -> None:
        """Note that a player was reminded at `now`, unless an earlier reminder is noted already."""
        known = self.find(player_id)
        if known is not None and known.absent_since is None:
            self.change(player_id, absent_since=now)

    def change(self, player_id: int, **columns: Any) -> None:
        _SET.run(self._transaction, player_id, columns)

    def _one(self, statement: Statement, **values: Any) -> Player | None:
        return next(iter(self._several(statement, **values)), None)

    def _several(self, statement: Statement, **values: Any) -> tuple[Player, ...]:
        cache, key = self._transaction.cache, ("players", statement, *values.items())
        found: tuple[Player, ...] | None = cache.get(key)
        if found is None:
            found = _players(statement.rows(self._transaction, **values))
            cache.keep(key, statement.tables, found)
            for player in found:
                cache.keep(("player", player.id), _BY_ID.tables, player)
        return found


def _locked(column: ColumnElement[Any], player_id: int) -> Select[Any]:
    """Return a query that selects a column of a player's row and locks the row."""
    return select(column).where(players.c.id == player_id).with_for_update(key_share=True)


def _players(rows: Iterable[Row]) -> tuple[Player, ...]:
    """Build players from rows of `with_addresses`. Unknown stored settings are ignored."""
    players = []
    for _, its in groupby(rows, key=itemgetter("id")):
        first, *more = its
        kept = (first["settings"] or {}).items()
        settings = PlayerSettings(**{name: value for name, value in kept if name in _SETTINGS})
        own = tuple(row["address"] for row in (first, *more) if row["address"])
        players.append(read_as(Player, first, addresses=own, settings=settings))
    return tuple(players)
