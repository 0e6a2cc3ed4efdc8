"""Who began boards with whom, and whether the others took them up."""

from typing import Any

from sqlalchemy import Select, bindparam, distinct, exists, func, select

from pbm.store.schema.games import boards, seats
from pbm.store.schema.people import players
from pbm.store.sql.statement import Statement
from pbm.store.sql.transaction import Transaction

_NEWEST = 100  # boards of one player that are looked at
_elsewhere = seats.alias()
_AT_NO_OTHER = Statement(
    select(seats.c.player_id)
    .where(
        seats.c.board_id == bindparam("number"),
        ~exists().where(
            _elsewhere.c.player_id == seats.c.player_id,
            _elsewhere.c.board_id != seats.c.board_id,
        ),
    )
    .distinct()
)


class Beginnings:
    """Queries about who began boards, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def unanswered(self, begun_by: int, player_id: int, *, most: int) -> int:
        """How many boards in progress that one player began another has not answered, by a move
        or by words; counted up to `most`."""
        waiting = (
            select(boards.c.id)
            .join(seats, seats.c.board_id == boards.c.id)
            .where(
                seats.c.player_id == player_id,
                seats.c.playing,
                ~seats.c.answered,
                boards.c.begun_by_id == begun_by,
            )
            .limit(most)
        )
        return self._count(waiting)

    def by_others(self, player_id: int, *, most: int) -> int:
        """On how many boards in progress a player sits that others began; counted up to `most`.

        Whoever began a match began all its rounds.
        """
        first = boards.alias()
        found = (
            select(boards.c.id)
            .join(seats, seats.c.board_id == boards.c.id)
            .join(first, first.c.id == func.coalesce(boards.c.match_id, boards.c.id))
            .where(
                seats.c.player_id == player_id,
                seats.c.playing,
                first.c.begun_by_id.is_distinct_from(player_id),
            )
            .distinct()
            .limit(most)
        )
        return self._count(found)

    def taken_up(self, begun_by: int) -> int:
        """On how many of the newest boards that a player began somebody else has moved, robots
        apart."""
        newest = self._transaction.scalars(
            select(boards.c.id)
            .where(boards.c.begun_by_id == begun_by)
            .order_by(boards.c.started_at.desc())
            .limit(_NEWEST)
        ).all()
        moved = (
            select(func.count(distinct(seats.c.board_id)))
            .join(players, players.c.id == seats.c.player_id)
            .where(
                seats.c.board_id.in_(newest),
                seats.c.player_id != begun_by,
                seats.c.last_ply > 0,
                players.c.robot.is_(None),
            )
        )
        return int(self._transaction.scalar(moved) or 0)

    def with_robots(self, player_id: int, *, most: int) -> int:
        """On how many boards in progress a player plays against robots; counted up to `most`."""
        against = exists().where(
            _elsewhere.c.board_id == seats.c.board_id,
            _elsewhere.c.player_id == players.c.id,
            players.c.robot.is_not(None),
        )
        own = seats.c.player_id == player_id
        query = select(seats.c.board_id).where(own, seats.c.playing, against)
        return self._count(query.distinct().limit(most))

    def newcomers(self, board_id: int) -> frozenset[int]:
        """The players of a board who have never sat at another one."""
        rows = _AT_NO_OTHER.rows(self._transaction, number=board_id)
        return frozenset(row["player_id"] for row in rows)

    def _count(self, query: Select[Any]) -> int:
        return len(self._transaction.scalars(query).all())
