"""Ratings: which finished boards count, in which order, and what each did to its players."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite

from pbm.store.schema import rated_boards, ratings, results
from pbm.store.values import CountedBoard, Pool, Rating, Result

_COUNTING = text("SELECT pg_advisory_xact_lock(1885498989, 0)")
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_RESULT = tuple(results.c[field.name] for field in fields(Result))


class Ratings:
    """Queries about ratings, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # -- reading ---------------------------------------------------------------------------

    def current(self, game: str, pool: Pool, player_ids: Collection[int]) -> dict[int, Rating]:
        """What is known of players by now; who has no rating yet is left out."""
        query = _of(game, pool).where(ratings.c.player_id.in_(player_ids))
        return dict(map(_rated, self._connection.execute(query)))

    def best(self, game: str, pool: Pool, most: int) -> tuple[tuple[int, Rating], ...]:
        """The players with the highest ratings, by their numbers, the best first."""
        query = _of(game, pool).order_by(ratings.c.mu.desc(), ratings.c.player_id).limit(most)
        return tuple(map(_rated, self._connection.execute(query)))

    def of_player(self, player_id: int) -> dict[tuple[str, Pool], Rating]:
        """A player's ratings, by game and pool."""
        query = select(ratings).where(ratings.c.player_id == player_id)
        rows = self._connection.execute(query.order_by(ratings.c.game, ratings.c.pool))
        return {(row.game, Pool(row.pool)): _rated(row)[1] for row in rows}

    def before(self, counted: CountedBoard, player_ids: Collection[int]) -> dict[int, Rating]:
        """What was known of players before a board was counted; who was new is left out."""
        earlier = (
            select(results.c.player_id, func.max(results.c.rated_id).label("rated_id"))
            .where(
                results.c.player_id.in_(player_ids),
                results.c.game == counted.game,
                results.c.pool == counted.pool,
                results.c.rated_id < counted.number,
            )
            .group_by(results.c.player_id)
            .subquery()
        )
        last = (earlier.c.player_id == results.c.player_id) & (
            earlier.c.rated_id == results.c.rated_id
        )
        query = (
            select(*_RESULT, rated_boards.c.counted_at)
            .join(rated_boards, rated_boards.c.id == results.c.rated_id)
            .join(earlier, last)
        )
        return dict(map(_rated, self._connection.execute(query)))

    def counted(self, board_id: int) -> CountedBoard | None:
        """A board as it was counted, None if it was not."""
        return next(iter(self._counted(rated_boards.c.board_id == board_id, most=1)), None)

    def counted_from(self, number: int, most: int) -> tuple[CountedBoard, ...]:
        """The boards that were counted as this number or later, in order."""
        return self._counted(rated_boards.c.id >= number, most=most)

    def results(self, counted: CountedBoard) -> tuple[Result, ...]:
        """What a board did to its players, in the order of their numbers."""
        query = select(*_RESULT).where(results.c.rated_id == counted.number)
        rows = self._connection.execute(query.order_by(results.c.player_id)).mappings()
        return tuple(Result(**row) for row in rows)

    # -- writing ---------------------------------------------------------------------------

    def add(self, board_id: int, game: str, pool: Pool, now: datetime) -> CountedBoard:
        """Count a board as the next. Until the commit nobody else counts one."""
        if self._connection.dialect.name == "postgresql":
            self._connection.execute(_COUNTING)
        counted = {"board_id": board_id, "game": game, "pool": pool.value, "counted_at": now}
        added = insert(rated_boards).values(**counted).returning(rated_boards.c.id)
        number = int(self._connection.execute(added).scalar_one())
        return CountedBoard(number, board_id, game, pool, now)

    def set_results(self, counted: CountedBoard, found: Sequence[Result]) -> None:
        """Write down what a board does to its players, in place of what was written before."""
        about = {"game": counted.game, "pool": counted.pool.value}
        self._connection.execute(delete(results).where(results.c.rated_id == counted.number))
        rows = [{"rated_id": counted.number, **about, **asdict(item)} for item in found]
        self._connection.execute(insert(results), rows)
        for item in found:
            known = {"mu": item.mu, "sigma": item.sigma, "games": item.games}
            self._set(counted, item.player_id, {**known, "counted_at": counted.at})

    def forget(self, counted: CountedBoard) -> None:
        """Count a board no more; its players have the ratings that they had before it."""
        player_ids = [item.player_id for item in self.results(counted)]
        before = self.before(counted, player_ids)
        for table, column in ((results, results.c.rated_id), (rated_boards, rated_boards.c.id)):
            self._connection.execute(delete(table).where(column == counted.number))
        for player_id in player_ids:
            earlier = before.get(player_id)
            if earlier is None:
                self._drop(counted, player_id)
            else:
                known = {"mu": earlier.mu, "sigma": earlier.sigma, "games": earlier.games}
                self._set(counted, player_id, {**known, "counted_at": earlier.at})

    def _set(self, counted: CountedBoard, player_id: int, known: dict[str, Any]) -> None:
        whose = {"game": counted.game, "pool": counted.pool.value, "player_id": player_id}
        added = _INSERT[self._connection.dialect.name](ratings).values(**whose, **known)
        self._connection.execute(
            added.on_conflict_do_update(index_elements=list(whose), set_=known)
        )

    def _drop(self, counted: CountedBoard, player_id: int) -> None:
        self._connection.execute(
            delete(ratings).where(
                ratings.c.game == counted.game,
                ratings.c.pool == counted.pool,
                ratings.c.player_id == player_id,
            )
        )

    def _counted(self, condition: ColumnElement[bool], *, most: int) -> tuple[CountedBoard, ...]:
        query = select(rated_boards).where(condition).order_by(rated_boards.c.id).limit(most)
        return tuple(
            CountedBoard(row.id, row.board_id, row.game, Pool(row.pool), row.counted_at)
            for row in self._connection.execute(query)
        )


def _of(game: str, pool: Pool) -> Select[Any]:
    return select(ratings).where(ratings.c.game == game, ratings.c.pool == pool)


def _rated(row: Any) -> tuple[int, Rating]:
    return row.player_id, Rating(row.mu, row.sigma, row.games, row.counted_at)
