"""What was played on boards, and which seats were given up."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Row, and_, bindparam, false, func, or_, select

from pbm.store.schema.games import departures, moves
from pbm.store.sql.statement import Read, Statement, rows_of
from pbm.store.sql.transaction import Transaction
from pbm.store.values.plies import Departure, Ply

PLY = tuple(item.name for item in fields(Ply))
_PLIES = Statement(
    select(*(column for column in moves.c if column.key not in ("board_id", "stood")))
    .where(moves.c.board_id == bindparam("board_id"), moves.c.ply > bindparam("since"))
    .order_by(moves.c.ply)
)


def plies_read(board_id: int, since: int) -> Read:
    """What `Plies.of` reads of a board."""
    return _PLIES, {"board_id": board_id, "since": since}


class Plies:
    """Queries about the moves of boards, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def of(self, board_id: int, *, since: int = 0) -> tuple[Ply, ...]:
        """The moves played after ply `since`, in order."""
        (rows,) = rows_of(self._transaction, plies_read(board_id, since))
        found: tuple[Ply, ...] = self._transaction.value_of(
            f"plies {board_id} {since}", rows, make=lambda rows: tuple(Ply(**row) for row in rows)
        )
        return found

    def of_many(self, since: Mapping[int, int]) -> dict[int, tuple[Ply, ...]]:
        """The moves of several boards, each after the ply that stands behind its number, in order;
        by few boards, as one statement names them all."""
        found: dict[int, list[Ply]] = {board_id: [] for board_id in since}
        wanted = [
            and_(moves.c.board_id == board_id, moves.c.ply > ply) for board_id, ply in since.items()
        ]
        query = select(moves).where(or_(false(), *wanted)).order_by(moves.c.board_id, moves.c.ply)
        for row in self._transaction.execute(query).mappings() if wanted else ():
            values = {name: row[name] for name in PLY}
            found[row["board_id"]].append(Ply(**values))
        return {board_id: tuple(plies) for board_id, plies in found.items()}

    def that_stood(self, board_id: int, marks: Collection[str]) -> Sequence[Row[Any]]:
        """The `ply`, `stood` and `played_at` of the plies of a board after which a position stood
        that has one of these marks, in order."""
        query = select(moves.c.ply, moves.c.stood, moves.c.played_at).where(
            moves.c.board_id == board_id, moves.c.stood.in_(marks)
        )
        return self._transaction.execute(query.order_by(moves.c.ply)).all()

    def departures(self, board_id: int) -> tuple[Departure, ...]:
        """The seats given up, in order."""
        columns = (
            departures.c.after_ply,
            departures.c.seat,
            departures.c.how,
            departures.c.left_at,
            departures.c.spared,
        )
        query = select(*columns).where(departures.c.board_id == board_id)
        rows = self._transaction.execute(query.order_by(departures.c.id)).mappings()
        return tuple(Departure(**row) for row in rows)

    def by_seat(self, board_id: int, *, since: int) -> dict[int, int]:
        """How many moves each seat made after ply `since`; seats without any are left out."""
        rows = self._transaction.execute(
            select(moves.c.seat, func.count())
            .where(moves.c.board_id == board_id, moves.c.ply > since)
            .group_by(moves.c.seat)
        )
        return {int(seat): int(count) for seat, count in rows}
