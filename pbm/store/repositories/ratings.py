"""Queries about ratings, about the boards that count for them, and about each board's changes."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Integer, bindparam, func, insert, literal_column, select, text
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.store.schema.games import LISTED, rated_boards, ratings, results
from pbm.store.schema.people import players
from pbm.store.sql.transaction import Repository
from pbm.store.values.players import CountedBoard, PlayerStatus, Pool, Rating, RatingResult

_COUNTING = text("SELECT pg_advisory_xact_lock(1885498989, 0)")
_NEWEST = 2**31 - 1  # the largest integer of the column
_its_boards = results.alias()
_number = (  # one index lookup per player, for any number of games
    select(func.max(_its_boards.c.rated_id))
    .where(
        _its_boards.c.player_id == players.c.id,
        _its_boards.c.game == bindparam("game"),
        _its_boards.c.pool == bindparam("pool"),
        _its_boards.c.rated_id < bindparam("before"),
    )
    .scalar_subquery()
)
_LAST = (  # the last result of each of some players
    select(
        *(results.c[name] for name in ("game", "pool", "player_id", "mu", "sigma", "games")),
        *(rated_boards.c.counted_at, results.c.people_games, results.c.rival_id, results.c.met),
    )
    .select_from(players)
    .join(results, (results.c.player_id == players.c.id) & (results.c.rated_id == _number))
    .join(rated_boards, rated_boards.c.id == results.c.rated_id)
    .where(players.c.id.in_(bindparam("player_ids", expanding=True)))
)
_HAS_PLACE = (players.c.status != PlayerStatus.REMOVED) & players.c.robot.is_(None)
_PLACES = [column.name for column in ratings.c if column is not ratings.c.wide]
_ADDED = upsert(ratings).from_select(_PLACES, _LAST.where(_HAS_PLACE))
_SETTLE = _ADDED.on_conflict_do_update(
    index_elements=["game", "pool", "player_id"],
    set_={column: _ADDED.excluded[column] for column in _PLACES[3:]},
)
_other = results.alias()
_before_those = (  # the last board counted before a moment
    select(rated_boards.c.id)
    .where(rated_boards.c.counted_at <= bindparam("since", type_=rated_boards.c.counted_at.type))
    .order_by(rated_boards.c.counted_at.desc(), rated_boards.c.id.desc())
    .limit(1)
    .scalar_subquery()
)
_MEETINGS = (  # how many games two of some players have had since then
    select(results.c.player_id, _other.c.player_id.label("other_id"), func.count().label("games"))
    .join(_other, _other.c.rated_id == results.c.rated_id)
    .where(
        results.c.player_id.in_(bindparam("player_ids", expanding=True)),
        _other.c.player_id.in_(bindparam("player_ids", expanding=True)),
        results.c.player_id < _other.c.player_id,
        results.c.game == bindparam("game"),
        results.c.pool == bindparam("pool"),
        results.c.rated_id < bindparam("before"),
        results.c.rated_id > func.coalesce(_before_those, 0),
    )
    .group_by(results.c.player_id, _other.c.player_id)
)


class Ratings(Repository):
    def current(self, game: str, pool: Pool, player_ids: Collection[int]) -> dict[int, Rating]:
        query = select(ratings).where(
            ratings.c.game == game, ratings.c.pool == pool, ratings.c.player_id.in_(player_ids)
        )
        return dict(map(_rated, self._transaction.execute(query)))

    def standings(self, game: str, pool: Pool, most: int) -> tuple[tuple[int, Rating], ...]:
        """Return the `most` best players of a game and rating pool, the best first.

        Players who have played too few games, or always against the same person, are left out.
        """
        places = (ratings.c.mu.desc(), ratings.c.player_id.desc())
        query = select(ratings).where(ratings.c.game == game, ratings.c.pool == pool, LISTED)
        # PostgreSQL's generic plan estimates a bound limit as a tenth of all rows.
        query = query.order_by(*places).limit(literal_column(str(most), Integer))
        return tuple(map(_rated, self._transaction.execute(query)))

    def of_player(self, player_id: int) -> dict[tuple[str, Pool], Rating]:
        query = select(ratings).where(ratings.c.player_id == player_id)
        rows = self._transaction.execute(query.order_by(ratings.c.game, ratings.c.pool))
        return {(row.game, row.pool): _rated(row)[1] for row in rows}

    def last(
        self, game: str, pool: Pool, player_ids: Collection[int], *, before: int = _NEWEST
    ) -> dict[int, Rating]:
        """Return players' ratings after the last board that was counted before the number `before`.

        Unlike `current` it finds those of robots and removed players, too.
        """
        asked = {"game": game, "pool": pool, "player_ids": list(player_ids), "before": before}
        return dict(map(_rated, self._transaction.execute(_LAST, asked))) if player_ids else {}

    def set_wide(
        self, game: str, pool: Pool, player_ids: Collection[int], wide: Collection[int]
    ) -> None:
        """Note of which of some players enough opponents have met others (`Rating.wide`)."""
        its = (ratings.c.game == game, ratings.c.pool == pool, ratings.c.player_id.in_(player_ids))
        self._update(ratings, *its, wide=ratings.c.player_id.in_(wide))

    def meetings(
        self, counted: CountedBoard, player_ids: Collection[int], since: datetime
    ) -> dict[tuple[int, int], int]:
        """Return how many games each two of some players have had, whatever the results.

        A key of the result is a pair, the smaller id first. Only boards counted after the time
        `since` and before `counted` are considered. They must have the same game and rating pool
        (two players, more players, or teams) as `counted`.
        """
        asked: dict[str, Any] = {"player_ids": list(player_ids), "since": since}
        asked |= {"game": counted.game, "pool": counted.pool, "before": counted.number}
        rows = self._transaction.execute(_MEETINGS, asked)
        return {(row.player_id, row.other_id): row.games for row in rows}

    def last_games(self, counted: CountedBoard, player_id: int, other_id: int) -> list[bool]:
        """Return the results of the last five games of a player against another, newest first.

        A result is True if `player_id` finished ahead. Game and rating pool are those of `counted`.
        """
        query = select(results.c.place < _other.c.place).join(
            _other, _other.c.rated_id == results.c.rated_id
        )
        query = query.where(
            results.c.player_id == player_id,
            _other.c.player_id == other_id,
            results.c.game == counted.game,
            results.c.pool == counted.pool,
        )
        return list(self._scalars(query.order_by(results.c.rated_id.desc()).limit(5)))

    def counted(self, board_id: int) -> CountedBoard | None:
        return next(iter(self._counted(rated_boards.c.board_id == board_id, most=1)), None)

    def counted_from(self, number: int, most: int) -> tuple[CountedBoard, ...]:
        """Return up to `most` boards that count for ratings, from `number` on in counting order."""
        return self._counted(rated_boards.c.id >= number, most=most)

    def results(self, counted: CountedBoard) -> tuple[RatingResult, ...]:
        """Return the rating changes that a board caused, sorted by the players' numbers."""
        query = select(results).where(results.c.rated_id == counted.number)
        return self._all(RatingResult, query.order_by(results.c.player_id))

    def unlike_last(self, counted: CountedBoard) -> frozenset[int]:
        """Return the players whose stored rating differs from their rating after a board.

        Players for whom a later board of this game and rating pool was counted are left out.
        """
        games = {item.player_id: item.games for item in self.results(counted)}
        last = self.last(counted.game, counted.pool, games)
        its = {number: known for number, known in last.items() if known.games == games[number]}
        here = select(players.c.id).where(players.c.id.in_(its), _HAS_PLACE)
        should = {number: its[number] for number in self._scalars(here)}
        listed = self.current(counted.game, counted.pool, its)
        return frozenset(number for number in its if listed.get(number) != should.get(number))

    def hold(self) -> None:
        """Ensure that no other transaction can count a board for ratings until the commit."""
        if self._transaction.is_shared:
            self._transaction.execute(_COUNTING)

    def add(self, board_id: int, game: str, pool: Pool, now: datetime) -> CountedBoard:
        """Count a board for the ratings. Until the commit, no other transaction can count one."""
        self.hold()
        counted = {"board_id": board_id, "game": game, "pool": pool, "counted_at": now}
        number = self._add(rated_boards, **counted)
        return CountedBoard(number, board_id, game, pool, now)

    def set_results(self, counted: CountedBoard, found: Sequence[RatingResult]) -> None:
        """Replace the rating changes that a board caused, and update its players' ratings."""
        about = {"game": counted.game, "pool": counted.pool}
        self._delete(results, results.c.rated_id == counted.number)
        rows = [{"rated_id": counted.number, **about, **asdict(item)} for item in found]
        self._transaction.execute(insert(results), rows)
        self._settle(counted, [item.player_id for item in found])

    def forget(self, counted: CountedBoard) -> None:
        """Remove a board from the ratings.

        Its players get the ratings that they had after the last of their other boards.
        """
        player_ids = [item.player_id for item in self.results(counted)]
        its = (ratings.c.game == counted.game, ratings.c.pool == counted.pool)
        self._delete(ratings, *its, ratings.c.player_id.in_(player_ids))
        for table, column in ((results, results.c.rated_id), (rated_boards, rated_boards.c.id)):
            self._delete(table, column == counted.number)
        self._settle(counted, player_ids)

    def _settle(self, counted: CountedBoard, player_ids: Collection[int]) -> None:
        """Store as current those ratings that players have after their last counted board."""
        last = {"game": counted.game, "pool": counted.pool, "before": _NEWEST}
        self._transaction.execute(_SETTLE, {**last, "player_ids": list(player_ids)})

    def _counted(self, condition: ColumnElement[bool], *, most: int) -> tuple[CountedBoard, ...]:
        query = select(rated_boards).where(condition).order_by(rated_boards.c.id).limit(most)
        return tuple(CountedBoard(*row) for row in self._transaction.execute(query))


def _rated(row: Any) -> tuple[int, Rating]:
    of_people = (row.people_games, row.rival_id, row.met or (), getattr(row, "wide", True))
    return row.player_id, Rating(row.mu, row.sigma, row.games, row.counted_at, *of_people)
