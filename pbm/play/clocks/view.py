"""The clock of a board for mails: when a move is due, who is away, what time is left."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pbm.clock import local_moment
from pbm.play.clocks import waits
from pbm.play.clocks.terms import DECLINED_AFTER, REMINDED_AFTER, SHORTEST, Terms, in_seconds
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_SOON = 3 * _DAY  # players who wait are told of an end within this time


class ClockView(NamedTuple):
    ends_at: datetime | None  # None if no clock runs, it has run out, or the end is years away
    shared: dict[str, Any]  # plain data, the same for all readers; lengths in seconds

    def for_reader(self, timezone: str) -> dict[str, Any]:
        """Return plain data for one reader's mail, with the end as a moment in `timezone`."""
        return {"by": self.ends_at and local_moment(self.ends_at, timezone), **self.shared}


def clock_view(work: UnitOfWork, board: Board, now: datetime) -> ClockView | None:
    """Return what a mail shows of a board's clock, or None if the board is over."""
    mover = board.to_move
    if mover is None:
        return None
    wait = waits.wait_of(work, board, now)
    calendar, ends_at = (wait.calendar, wait.ends_at) if wait else (None, None)
    if wait is None and board.awaited_first_move:
        player = work.players.get(mover.player_id)
        calendar = waits.calendar_of(work, board, player, now) if player.is_active else None
        if calendar and board.waits_since:
            ends_at = calendar.after(board.waits_since, REMINDED_AFTER + DECLINED_AFTER)
    left = ends_at - now if ends_at else None
    is_over = left is not None and left <= timedelta()
    away = calendar.away_until(now) if calendar else None
    shared = {
        "left": in_seconds(left) if left and not is_over else None,
        "is_over": is_over,
        "is_near": left is not None and left <= _SOON,
        "away": str(away) if away else None,
        "paused": board.paused_since is not None,
        "may_be_claimed": wait is not None and waits.may_be_claimed(board, wait),
        "times": [{"handle": name, "left": _rough(left)} for name, left in _left(board, wait)],
        "terms": _terms_view(waits.terms_of(board)) if board.clock else None,
    }
    return ClockView(None if is_over else ends_at, shared)


def clock_for(
    work: UnitOfWork, board: Board, now: datetime, reader: Player | None
) -> dict[str, Any] | None:
    """Return a board's clock as plain data for a reader, or None if the board is over."""
    clock = clock_view(work, board, now)
    return clock.for_reader(reader.settings.timezone if reader else "UTC") if clock else None


def _terms_view(terms: Terms) -> dict[str, Any]:
    return {
        "each": terms.each,
        "reminders": [in_seconds(after) for after in terms.reminders_within(terms.most)[:-1]],
        "may_be_short": terms.counts_used or terms.most < SHORTEST,
        "total": terms.total,
        "bank": terms.bank,
        "increment": terms.increment or None,
    }


def _left(board: Board, wait: waits.Wait | None) -> Iterable[tuple[str, timedelta]]:
    """Yield the handle of each person still in the game, with the time left for all moves."""
    mover = board.to_move
    for seat in board.seats if waits.terms_of(board).counts_used else ():
        left = waits.time_left(board, seat)
        if left is None or seat.robot or seat.player_id not in board.still_in:
            continue
        moves_now = wait is not None and mover is not None and mover.seat == seat.seat
        yield seat.handle, max(left - wait.spent if moves_now and wait else left, timedelta())


def _rough(left: timedelta) -> int:
    """Round `left` down to minutes, or to hours if it is a day or more. Return seconds."""
    return in_seconds(left // (unit := _HOUR if left >= _DAY else _MINUTE) * unit)
