"""Queries about seeks, which are open challenges, and about the players who wait in them."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from sqlalchemy import ColumnElement, exists, or_, select, text
from sqlalchemy import func as sql

from pbm.store.schema.asking import seekers, seeks
from pbm.store.schema.columns import OPEN
from pbm.store.schema.games import boards, seats
from pbm.store.schema.people import addresses, blocks, players
from pbm.store.sql.transaction import Repository, read_as
from pbm.store.values.asking import Seek, Seeker, SeekStatus, Standing, Wish
from pbm.store.values.players import PlayerStatus

_ONE_AT_A_TIME = text("SELECT pg_advisory_xact_lock(1885498989, 1)")
_IS_OPEN = seeks.c.status == OPEN
_HERE = (
    (players.c.status == PlayerStatus.ACTIVE)
    & players.c.unreachable_since.is_(None)
    & exists().where(addresses.c.player_id == players.c.id)
)
_MAKER_HERE = exists().where(
    seekers.c.seek_id == seeks.c.id,
    seekers.c.place == 1,
    players.c.id == seekers.c.player_id,
    _HERE,
)
_MAKER = (
    select(seekers.c.player_id)
    .where(seekers.c.seek_id == seeks.c.id, seekers.c.place == 1)
    .scalar_subquery()
    .label("maker_id")
)
_ALL = (
    select(seeks, seekers.c.player_id, players.c.handle, _HERE.label("here"))
    .join(seekers, seekers.c.seek_id == seeks.c.id)
    .join(players, players.c.id == seekers.c.player_id)
    .order_by(seeks.c.id, seekers.c.place)
)


class Seeks(Repository):
    def lock(self) -> None:
        """Lock all seeks until the commit, so that no two players can take the same seat."""
        if self._transaction.is_shared:
            self._transaction.execute(_ONE_AT_A_TIME)

    def find(self, seek_id: int) -> Seek | None:
        return next(self._select(seeks.c.id == seek_id), None)

    def standing(self, player_id: int | None) -> tuple[Standing, ...]:
        """Return the open seeks that a player may join, or all of them, oldest first."""
        query = select(seeks, _MAKER).where(*_open_to(player_id)).order_by(seeks.c.id)
        return tuple(read_as(Standing, row, wish=read_as(Wish, row)) for row in self._rows(query))

    def usual(
        self, player_id: int, game: str, rating: int, *, pairs: bool, most: int
    ) -> Iterator[tuple[Seek, ...]]:
        """Yield the seeks (open challenges) for a usual game that a player may join.

        They come in batches of `most`. A usual game has default options. Of several such seeks by
        the same player, only the oldest is yielded. If `pairs` is False, only seeks of players who
        want to be paired are yielded.
        """
        query = select(sql.min(seeks.c.id)).where(*_open_to(player_id))
        query = query.where(seeks.c.usual, seeks.c.game == game)
        query = query.where(seeks.c.least.is_(None) | (seeks.c.least <= rating))
        query = query.where(seeks.c.most.is_(None) | (seeks.c.most >= rating))
        if not pairs:
            query = query.where(seeks.c.pairs)
        query = query.group_by(_MAKER).order_by(sql.min(seeks.c.id))
        numbers = self._scalars(query)
        for at in range(0, len(numbers), most):
            yield self.some(numbers[at : at + most])

    def some(self, seek_ids: Sequence[int]) -> tuple[Seek, ...]:
        """Return the seeks with these numbers, the oldest first."""
        return tuple(self._select(seeks.c.id.in_(seek_ids))) if seek_ids else ()

    def of_player(self, player_id: int, *, over: bool = False) -> tuple[Seek, ...]:
        """Return the seeks in which a player waits. If `over` is False, return only open ones."""
        query = select(seeks.c.id).join(seekers, seekers.c.seek_id == seeks.c.id)
        query = query.where(seekers.c.player_id == player_id)
        return self.some(self._scalars(query if over else query.where(_IS_OPEN)))

    def met_since(
        self, player_id: int, others: Collection[int], moment: datetime
    ) -> frozenset[int]:
        """Return those of the players in `others` who have recently shared a board with a player.

        A board counts if it is in progress, or if it has changed since `moment`.
        """
        own, theirs = seats.alias(), seats.alias()
        query = (
            select(theirs.c.player_id)
            .distinct()
            .join(own, own.c.board_id == theirs.c.board_id)
            .join(boards, boards.c.id == own.c.board_id)
            .where(own.c.player_id == player_id, theirs.c.player_id.in_(others))
            .where(own.c.playing | (boards.c.changed_at >= moment))
        )
        return frozenset(self._scalars(query))

    def add(self, wish: Wish, player_id: int, now: datetime, expires_at: datetime) -> Seek:
        row = {**vars(wish), "options": dict(wish.options)}
        row |= {"clock": wish.clock and dict(wish.clock)}
        moments = {"made_at": now, "expires_at": expires_at}
        number = self._add(seeks, **row, **moments, status=SeekStatus.OPEN)
        self.add_seeker(number, player_id)
        return self.some([number])[0]

    def add_seeker(self, seek_id: int, player_id: int) -> Seek:
        last = select(sql.coalesce(sql.max(seekers.c.place), 0)).where(seekers.c.seek_id == seek_id)
        row = {"seek_id": seek_id, "player_id": player_id, "place": last.scalar_subquery() + 1}
        self._insert(seekers, **row)
        return self.some([seek_id])[0]

    def drop_seekers(self, seek_id: int, player_ids: Collection[int]) -> None:
        if player_ids:
            those = seekers.c.player_id.in_(player_ids)
            self._delete(seekers, seekers.c.seek_id == seek_id, those)

    def close(self, seek_id: int, status: SeekStatus, board_id: int | None = None) -> None:
        self._update(seeks, seeks.c.id == seek_id, status=status, board_id=board_id)

    def _select(self, condition: ColumnElement[bool]) -> Iterator[Seek]:
        found = self._rows(_ALL.where(condition))
        for _, those in groupby(found, itemgetter("id")):
            rows = tuple(those)
            wish, seekers = read_as(Wish, rows[0]), tuple(read_as(Seeker, row) for row in rows)
            yield read_as(Seek, rows[0], wish=wish, seekers=seekers)


def _open_to(player_id: int | None) -> tuple[ColumnElement[bool], ...]:
    """Return the SQL conditions for a seek (an open challenge) that a player may join.

    The player must not wait there already. A block between the player and one who waits there
    closes the seek to the player.
    """
    waiting = seekers.alias()
    other = waiting.c.player_id
    shut = exists().where(
        waiting.c.seek_id == seeks.c.id,
        or_(
            other == player_id,
            other.in_(select(blocks.c.blocked_id).where(blocks.c.player_id == player_id)),
            other.in_(select(blocks.c.player_id).where(blocks.c.blocked_id == player_id)),
        ),
    )
    return _IS_OPEN, _MAKER_HERE, ~shut
