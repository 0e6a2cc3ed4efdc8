"""Looking back: the finished games of players, each look at so many rows at most."""

from typing import Any, NamedTuple

from sqlalchemy import Select, exists, func, select

from pbm.store.schema.games import boards, departures, seats
from pbm.store.sql.transaction import Transaction

LOOKED_AT = 200  # boards of a player in one go, closed ones among them
MOST_MEETINGS = 1000  # boards among which two players may have met
_FIRST = 2**31 - 1  # above the number of any board


class Meeting(NamedTuple):
    """A finished game of two players: the seat of each, and the seats that have won."""

    board_id: int
    one: int
    other: int
    winners: tuple[int, ...]


class Found(NamedTuple):
    """The newest finished boards, and below which number to go on looking, None at the end."""

    board_ids: tuple[int, ...]
    go_on_below: int | None


class History:
    """Queries about games that are over, within one transaction; records are none of them."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def finished(self, player_id: int, *, below: int | None, most: int) -> Found:
        """A player's finished boards with numbers below one, the newest first."""
        looked = _over(player_id, LOOKED_AT, below or _FIRST).subquery()
        query = (
            select(looked.c.board_id, boards.c.status)
            .join(boards, boards.c.id == looked.c.board_id)
            .order_by(looked.c.board_id.desc())
        )
        rows = self._transaction.execute(query).all()
        finished = [number for number, status in rows if status == "finished"]
        if len(finished) > most:
            return Found(tuple(finished[:most]), finished[most - 1])
        return Found(tuple(finished), rows[-1][0] if len(rows) == LOOKED_AT else None)

    def meetings(self, one: int, other: int) -> tuple[Meeting, ...]:
        """The finished boards on which two players sat, the newest first.

        They are looked for among the newest `MOST_MEETINGS` of the first player that are over.
        """
        looked = _over(one, MOST_MEETINGS, _FIRST).subquery()
        theirs = seats.alias()
        query = (
            select(looked.c.board_id, looked.c.seat, theirs.c.seat, boards.c.winners)
            .join(
                theirs,
                (theirs.c.board_id == looked.c.board_id) & (theirs.c.player_id == other),
            )
            .join(boards, boards.c.id == looked.c.board_id)
            .where(boards.c.status == "finished")
            .order_by(looked.c.board_id.desc())
        )
        rows = self._transaction.execute(query)
        return tuple(Meeting(number, a, b, tuple(won or ())) for number, a, b, won in rows)

    def playing(self, player_id: int, *, most: int) -> int:
        """How many boards a player plays on, counted up to `most`."""
        some = select(seats.c.board_id).where(seats.c.player_id == player_id, seats.c.playing)
        return self._count(some.limit(most))

    def kept_time(self, player_id: int, *, most: int) -> tuple[int, int]:
        """How many games of a player are finished, of the newest `most` that are over, and in how
        many of these the player has not run out of time."""
        looked = _over(player_id, most, _FIRST).subquery()
        ran_out = exists().where(
            departures.c.board_id == looked.c.board_id,
            departures.c.seat == looked.c.seat,
            departures.c.how == "forfeited",
        )
        query = (
            select(looked.c.board_id, ran_out)
            .join(boards, boards.c.id == looked.c.board_id)
            .where(boards.c.status == "finished")
        )
        rows = self._transaction.execute(query).all()
        return len(rows), sum(not forfeited for _, forfeited in rows)

    def _count(self, query: Select[Any]) -> int:
        return int(
            self._transaction.scalar(select(func.count()).select_from(query.subquery())) or 0
        )


def _over(player_id: int, most: int, below: int) -> Select[Any]:
    """The seats of a player on boards that are over, the newest first."""
    return (
        select(seats.c.board_id, seats.c.seat)
        .where(
            seats.c.player_id == player_id,
            ~seats.c.playing,
            seats.c.board_id < below,
            seats.c.name.is_(None),
        )
        .order_by(seats.c.board_id.desc())
        .limit(most)
    )
