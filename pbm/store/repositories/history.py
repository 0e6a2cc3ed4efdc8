"""Queries about games that are over, and about analyses."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, exists, or_, select, true, union

from pbm.store.schema.games import boards, departures, handovers, seats
from pbm.store.schema.running import analyses, analysis_readers
from pbm.store.sql.transaction import Repository
from pbm.store.values.boards import BoardStatus
from pbm.store.values.queues import KeptAnalysis

LOOKED_AT = 200  # boards of a player in one page, closed ones included
MOST_MEETINGS = 1000  # boards searched for games of two players
_FIRST = 2**31 - 1  # above any board number


class Meeting(NamedTuple):
    """A finished board on which two players sat."""

    board_id: int
    one: int  # seat of the one player
    other: int  # seat of the other player
    winners: tuple[int, ...]  # winning seats


class Found(NamedTuple):
    """A page of finished boards, newest first."""

    board_ids: tuple[int, ...]
    go_on_below: int | None  # `below` for the next page, None on the last page


class History(Repository):
    """Queries about games that are over. Imported records of games are left out.

    Private boards are left out, too, if the player `seen_by` does not sit there; 0 is a stranger.
    """

    def finished(
        self, player_id: int, *, below: int | None, most: int, seen_by: int | None = None
    ) -> Found:
        """Return a page of a player's finished boards with numbers below `below`, newest first."""
        looked = _ever_sat(player_id, LOOKED_AT, below or _FIRST, seen_by).subquery()
        query = (
            select(looked.c.board_id, boards.c.status)
            .join(boards, boards.c.id == looked.c.board_id)
            .order_by(looked.c.board_id.desc())
        )
        rows = self._transaction.execute(query).all()
        finished = [number for number, status in rows if status == BoardStatus.FINISHED]
        if len(finished) > most:
            return Found(tuple(finished[:most]), finished[most - 1])
        return Found(tuple(finished), rows[-1][0] if len(rows) == LOOKED_AT else None)

    def meetings(self, one: int, other: int, *, seen_by: int) -> tuple[Meeting, ...]:
        """Return the finished boards on which two players sat, newest first.

        Only the newest `MOST_MEETINGS` boards of the player `one` are searched.
        """
        looked = _over(one, MOST_MEETINGS, _FIRST, seen_by).subquery()
        theirs = seats.alias()
        query = (
            select(looked.c.board_id, looked.c.seat, theirs.c.seat, boards.c.winners)
            .join(theirs, theirs.c.board_id == looked.c.board_id)
            .join(boards, boards.c.id == looked.c.board_id)
            .where(theirs.c.player_id == other, boards.c.status == BoardStatus.FINISHED)
            .order_by(looked.c.board_id.desc())
        )
        rows = self._transaction.execute(query)
        return tuple(Meeting(number, a, b, won or ()) for number, a, b, won in rows)

    def playing(self, player_id: int, *, most: int) -> int:
        some = select(seats.c.board_id).where(seats.c.player_id == player_id, seats.c.playing)
        return len(self._rows(some.limit(most)))

    def has_moved(self, player_id: int) -> bool:
        moved = (seats.c.player_id == player_id, seats.c.last_ply > 0, seats.c.name.is_(None))
        return bool(self._rows(select(seats.c.board_id).where(*moved).limit(1)))

    def kept_time(self, player_id: int, *, most: int) -> tuple[int, int]:
        """Return how many games a player finished, and how many of them were not lost on time.

        Only the player's newest `most` games that are over are counted.
        """
        looked = _over(player_id, most, _FIRST).subquery()
        ran_out = exists().where(
            departures.c.board_id == looked.c.board_id,
            departures.c.seat == looked.c.seat,
            departures.c.how == "forfeited",
        )
        query = (
            select(looked.c.board_id, ran_out)
            .join(boards, boards.c.id == looked.c.board_id)
            .where(boards.c.status == BoardStatus.FINISHED)
        )
        rows = self._transaction.execute(query).all()
        return len(rows), sum(not forfeited for _, forfeited in rows)


def _over(player_id: int, most: int, below: int, seen_by: int | None = None) -> Select[Any]:
    """Return a query for a player's seats on ended boards, newest first, without imported ones."""
    return (
        select(seats.c.board_id, seats.c.seat)
        .where(
            seats.c.player_id == player_id,
            ~seats.c.playing,
            seats.c.board_id < below,
            seats.c.name.is_(None),
            _is_open(seats.c.board_id, seen_by),
        )
        .order_by(seats.c.board_id.desc())
        .limit(most)
    )


def _is_open(board_id: ColumnElement[int], seen_by: int | None) -> ColumnElement[bool]:
    its, their = boards.alias(), seats.alias()
    sits = exists().where(their.c.board_id == board_id, their.c.player_id == seen_by)
    private = exists().where(its.c.id == board_id, its.c.private)
    return true() if seen_by is None else or_(~private, sits)


def _ever_sat(player_id: int, most: int, below: int, seen_by: int | None) -> Select[Any]:
    """Return a query for the same boards, and for those on which others took the seat over."""
    had = (
        select(handovers.c.board_id)
        .join(boards, boards.c.id == handovers.c.board_id)
        .where(handovers.c.player_id == player_id, handovers.c.board_id < below)
        .where(boards.c.status != BoardStatus.PLAYING, _is_open(boards.c.id, seen_by))
        .order_by(handovers.c.board_id.desc())
        .limit(most)
    )
    sat = _over(player_id, most, below, seen_by).with_only_columns(seats.c.board_id)
    both = union(*(select(some.subquery().c.board_id) for some in (sat, had))).subquery()
    return select(both.c.board_id).order_by(both.c.board_id.desc()).limit(most)


class Analyses(Repository):
    """Queries about analyses of boards. To store or delete an analysis, callers lock its board."""

    def find(self, board_id: int) -> KeptAnalysis | None:
        return self._first(KeptAnalysis, select(analyses).where(analyses.c.board_id == board_id))

    def begin(self, board_id: int, mark: str, now: datetime) -> None:
        """Replace a board's analysis by an empty one. `mark` identifies the analysed state."""
        self._delete(analyses, analyses.c.board_id == board_id)
        self._insert(analyses, board_id=board_id, mark=mark, found={}, began_at=now)

    def keep(
        self, board_id: int, found: Mapping[str, Any], finished_at: datetime | None = None
    ) -> None:
        its = analyses.c.board_id == board_id
        self._update(analyses, its, found=dict(found), finished_at=finished_at)

    def drop(self, board_id: int) -> None:
        self._delete(analyses, analyses.c.board_id == board_id)

    def readers(self, board_id: int) -> tuple[int, ...]:
        """Return the numbers of the players who wait for the analysis of a board."""
        waits = analysis_readers.c
        query = select(waits.player_id).where(waits.board_id == board_id)
        return self._scalars(query.order_by(waits.player_id))

    def add_reader(self, board_id: int, player_id: int) -> None:
        self._insert(analysis_readers, board_id=board_id, player_id=player_id)

    def forget_readers(self, board_id: int) -> None:
        self._delete(analysis_readers, analysis_readers.c.board_id == board_id)
