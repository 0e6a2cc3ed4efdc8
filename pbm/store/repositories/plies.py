"""Queries that read the moves and departures of boards, or record new ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, and_, bindparam, false, func, insert, or_, select, update

from pbm.store.repositories.boards import Boards
from pbm.store.schema.games import boards, departures, handovers, moves, seats
from pbm.store.schema.happened import board_events, readers
from pbm.store.schema.plans import plans
from pbm.store.schema.running import analyses, analysis_readers
from pbm.store.sql.statement import Read, Statement, rows_of
from pbm.store.sql.transaction import Repository, read_as
from pbm.store.values.boards import Board, BoardStatus, Departure, NewPly, Ply, Progress

_PLIES = Statement(
    select(moves)
    .where(moves.c.board_id == bindparam("board_id"), moves.c.ply > bindparam("since"))
    .order_by(moves.c.ply)
)


def plies_read(board_id: int, since: int) -> Read:
    """Return the query of `Plies.of`, as an argument for `UnitOfWork.prefetch`."""
    return _PLIES, {"board_id": board_id, "since": since}


class Plies(Repository):
    def of(self, board_id: int, *, since: int = 0) -> tuple[Ply, ...]:
        """Return the moves played after ply `since`, in order."""
        key, cache = ("plies", board_id, since), self._transaction.cache
        found: tuple[Ply, ...] | None = cache.get(key)
        if found is None:
            (rows,) = rows_of(self._transaction, plies_read(board_id, since))
            found = tuple(read_as(Ply, row) for row in rows)
            cache.keep(key, _PLIES.tables, found)
        return found

    def of_many(self, since: Mapping[int, int]) -> dict[int, tuple[Ply, ...]]:
        """Return the moves of several boards, in order.

        The keys of `since` are the boards. Only moves after the ply `since[board_id]` are returned.
        """
        found: dict[int, list[Ply]] = {board_id: [] for board_id in since}
        wanted = [
            and_(moves.c.board_id == board_id, moves.c.ply > ply) for board_id, ply in since.items()
        ]
        query = select(moves).where(or_(false(), *wanted)).order_by(moves.c.board_id, moves.c.ply)
        for row in self._rows(query) if wanted else ():
            found[row["board_id"]].append(read_as(Ply, row))
        return {board_id: tuple(plies) for board_id, plies in found.items()}

    def until(self, board_id: int, moment: datetime) -> int:
        """Return how many plies of a board were played before a moment."""
        its = (moves.c.board_id == board_id, moves.c.played_at < moment)
        return self._count(select(func.count()).select_from(moves).where(*its))

    def departures(self, board_id: int) -> tuple[Departure, ...]:
        query = select(departures).where(departures.c.board_id == board_id)
        return self._all(Departure, query.order_by(departures.c.id))

    def by_seat(self, board_id: int, *, since: int) -> dict[int, int]:
        """Return how many moves each seat made after ply `since`, without seats that made none."""
        rows = self._transaction.execute(
            select(moves.c.seat, func.count())
            .where(moves.c.board_id == board_id, moves.c.ply > since)
            .group_by(moves.c.seat)
        )
        return {int(seat): int(count) for seat, count in rows}


_STOOD_BEFORE = (
    select(moves.c.ply)
    .where(
        moves.c.board_id == bindparam("number"),
        moves.c.stood == bindparam("mark"),
        moves.c.ply >= bindparam("since"),
    )
    .limit(bindparam("most", type_=Integer))
    .subquery()
)
_ADD_PLY = Statement(
    insert(moves).values(
        {
            column.key: bindparam(column.key)
            for column in moves.c
            if column.key not in ("times", "spent", "banked")
        }
        | {
            "times": select(func.count() + bindparam("first", type_=Integer))
            .select_from(_STOOD_BEFORE)
            .scalar_subquery()
        }
    )
)
_SET_LAST_PLY = Statement(
    update(seats)
    .where(seats.c.board_id == bindparam("number"), seats.c.seat == bindparam("mover"))
    .values(last_ply=bindparam("ply"), answered=True)
)
_WAIT = ("waits_since", "reminded", "given", "stops")


class Playing(Repository):
    """Queries that record moves, and departures of players from boards."""

    def fill(
        self,
        board: Board,
        played: Sequence[NewPly],
        left: Sequence[tuple[int, int, str]],
        progress: Progress,
        now: datetime,
    ) -> Board:
        """Store the moves of an imported game on a new board, and the board's state after them.

        `left` tells of each player who left: the ply before, the seat, and how the player left.
        """
        if played:
            rows = [{"board_id": board.id, "played_at": now, **vars(ply)} for ply in played]
            self._transaction.execute(insert(moves), rows)
        if left:
            rows = [
                {"board_id": board.id, "after_ply": ply, "seat": seat, "how": how, "left_at": now}
                for ply, seat, how in left
            ]
            self._transaction.execute(insert(departures), rows)
        for seat, ply in {item.seat: item.ply for item in played}.items():
            _SET_LAST_PLY.run(self._transaction, {"number": board.id, "mover": seat, "ply": ply})
        return self.set_progress(Boards(self._transaction).get(board.id), progress, now)

    def forget(self, board_id: int) -> None:
        """Delete an imported record of a game. The board's row stays, since mails refer to it."""
        tables = (moves, departures, seats, board_events, readers, analyses, analysis_readers)
        for table in (*tables, plans):
            self._delete(table, table.c.board_id == board_id)
        gone = {"status": BoardStatus.FORGOTTEN, "state": boards.c.start_state}
        self._update(boards, boards.c.id == board_id, **gone, ply=0, tags=None)

    def add_ply(
        self,
        board: Board,
        played: NewPly,
        progress: Progress,
        now: datetime,
        *,
        since: int = 0,
        first: int = 1,
        most: int = 0,
    ) -> Board:
        """Record a move, and the board's state after it.

        The row also gets the number of times that the position after the move has occurred. It is
        `first` plus the number of earlier moves to the same position. Moves before ply `since` do
        not count, and at most `most` moves are counted.
        """
        ply, seat = played.ply, played.seat
        counted = {"mark": played.stood, "since": since, "first": first, "most": most}
        row = {"board_id": board.id, "number": board.id, "played_at": now, **vars(played)}
        _ADD_PLY.run(self._transaction, row | counted)
        _SET_LAST_PLY.run(self._transaction, {"number": board.id, "mover": seat, "ply": ply})
        seated = tuple(
            replace(item, last_ply=ply, answered=True) if item.seat == seat else item
            for item in board.seats
        )
        return self.set_progress(replace(board, seats=seated), progress, now)

    def add_departure(
        self,
        board: Board,
        seat: int,
        how: str,
        progress: Progress,
        now: datetime,
        *,
        spared: bool = False,
    ) -> Board:
        """Record that a player leaves a seat, and the board's state after that.

        `how` is a word such as "resigned". If `spared` is True, the departure costs no rating.
        """
        left = {"after_ply": board.ply, "seat": seat, "how": how, "left_at": now}
        self._insert(departures, board_id=board.id, **left, spared=spared)
        return self.set_progress(board, progress, now)

    def drop_departures(self, board: Board, since: datetime) -> None:
        """Delete departures at `since` or later, so that the players have their seats again."""
        of_board = departures.c.board_id == board.id
        self._delete(departures, of_board, departures.c.left_at >= since)

    def set_progress(self, board: Board, progress: Progress, now: datetime) -> Board:
        """Store a board's state after a move or another change, and return the changed board.

        If the ply or the player to move has changed, the player's waiting time starts at `now`.
        """
        kept: dict[str, Any] = {**vars(progress), "changed_at": now}
        kept |= {"waits_since": now, "reminded": 0, "given": 0, "stops": ()}
        waited_for = board.to_move and (board.ply, board.to_move.player_id)
        if waited_for == (progress.ply, progress.to_move_id):
            kept |= {name: getattr(board, name) for name in _WAIT}
        its = Boards(self._transaction)
        its.change(board.id, **kept)
        del kept["to_move_id"]  # follows from the position
        after = replace(board, **kept)
        if after.playing != board.playing:
            differ = (seats.c.board_id == board.id, seats.c.playing != after.playing)
            self._update(seats, *differ, playing=after.playing)
        return its.keep(after)

    def go_back(self, board: Board, progress: Progress, now: datetime) -> Board:
        """Set a board back to the ply in `progress`. Delete all that came later, and all offers.

        The players get back what the deleted moves took of their time.
        """
        self._give_back_time(board.id, progress.ply)
        for table, column in ((moves, moves.c.ply), (departures, departures.c.after_ply)):
            self._delete(table, table.c.board_id == board.id, column > progress.ply)
        if any(seat.taken_over for seat in board.seats):  # others play these plies now
            later = (handovers.c.board_id == board.id, handovers.c.after_ply > progress.ply)
            self._update(handovers, *later, after_ply=progress.ply)
        played = select(func.coalesce(func.max(moves.c.ply), 0)).where(
            moves.c.board_id == seats.c.board_id, moves.c.seat == seats.c.seat
        )
        self._update(seats, seats.c.board_id == board.id, last_ply=played.scalar_subquery())
        its = Boards(self._transaction)
        its.change(board.id, offers=None, taken_back=board.taken_back + 1)
        return self.set_progress(its.get(board.id), progress, now)

    def note_time(self, board: Board, spent: int, banked: int | None) -> None:
        """Store what a board's newest move took of its mover's time and added to the bank."""
        of_move = (moves.c.board_id == board.id, moves.c.ply == board.ply)
        self._update(moves, *of_move, spent=spent, banked=banked)

    def _give_back_time(self, board_id: int, ply: int) -> None:
        taken = (moves.c.board_id == seats.c.board_id, moves.c.seat == seats.c.seat)
        spent, banked = (
            select(func.coalesce(func.sum(column), 0))
            .where(*taken, moves.c.ply > ply)
            .scalar_subquery()
            for column in (moves.c.spent, moves.c.banked)
        )
        clock = {"used": seats.c.used - spent, "banked": seats.c.banked - banked}
        self._update(seats, seats.c.board_id == board_id, **clock)
