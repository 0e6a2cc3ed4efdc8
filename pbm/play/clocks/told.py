"""What mails say of a board's clock: by when a move is due, who is away, how much time is left."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pbm.play.clocks.calendar import Calendar
from pbm.play.clocks.durations import spell_duration
from pbm.play.clocks.terms import SHORTEST, Terms
from pbm.play.clocks.waits import (
    Wait,
    calendar_of,
    in_time,
    may_be_claimed,
    terms_of,
    wait_of,
)
from pbm.play.first_moves import DECLINED_AFTER, REMINDED_AFTER
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_SOON = 3 * _DAY  # so near an end is told to those, too, who wait for another's move
_MONTH, _YEAR = timedelta(days=30.4), timedelta(days=365)
_COUNTED = (  # from which length on, in what
    (350 * _DAY, _YEAR, "year"),
    (60 * _DAY, _MONTH, "month"),
    (2 * _DAY, _DAY, "day"),
    (2 * _HOUR, _HOUR, "hour"),
    (timedelta(), timedelta(minutes=1), "minute"),
)


@dataclass(frozen=True)
class ClockTold:
    """A board's clock at a moment, the same for all readers.

    `ends_at` is when the time for the next move is over, None where that is years away or no
    clock runs. `left` is what each player has for all moves, if the terms count that.
    """

    now: datetime
    paused: bool
    ends_at: datetime | None
    away_until: date | None
    may_be_claimed: bool
    left: tuple[tuple[str, timedelta], ...]
    chosen: Terms | None

    def for_reader(self, timezone: str = "UTC") -> dict[str, Any]:
        """It in the words of one reader's mail, in that one's time zone."""
        ends_at = self.ends_at
        return {
            "by": moment_told(ends_at, timezone) if ends_at and ends_at > self.now else None,
            "left": length_told(ends_at - self.now) if ends_at and ends_at > self.now else None,
            "is_over": ends_at is not None and ends_at <= self.now,
            "is_near": ends_at is not None and ends_at - self.now <= _SOON,
            "away": str(self.away_until) if self.away_until else None,
            "paused": self.paused,
            "may_be_claimed": self.may_be_claimed,
            "times": [{"handle": name, "left": _rough(left)} for name, left in self.left],
            "terms": terms_told(self.chosen) if self.chosen else None,
        }


def clock_told(
    work: UnitOfWork, board: Board, now: datetime, known: Iterable[Player] = ()
) -> ClockTold | None:
    """How the clock of a board stands; None for a board that is over.

    Whoever is to move need not be looked up if among the `known` players.
    """
    mover = board.to_move
    if mover is None:
        return None
    player = next((item for item in known if item.id == mover.player_id), None)
    wait = wait_of(work, board, now, player)
    calendar = wait.calendar if wait else _first_days(work, board, now, player)
    return ClockTold(
        now,
        board.paused_since is not None,
        wait.ends_at if wait else _first_move_due(board, calendar),
        calendar.away_until(now) if calendar else None,
        wait is not None and may_be_claimed(board, wait),
        tuple(_left(board, wait)),
        terms_of(board) if board.clock else None,
    )


def moment_told(moment: datetime, timezone: str) -> str:
    """A moment with its day of the week; in UTC it says so, and any other zone the reader chose."""
    zone = " UTC" if timezone == "UTC" else ""
    return f"{moment.astimezone(ZoneInfo(timezone)):%a %Y-%m-%d %H:%M}{zone}"


def length_told(length: timedelta) -> str:
    """A length of time in one number and one word, as near as that is.

    >>> length_told(timedelta(days=6, hours=23)), length_told(timedelta(days=365))
    ('7 days', '1 year')
    """
    unit, name = next((unit, name) for least, unit, name in _COUNTED if length >= least)
    count = round(length / unit)
    return f"{count} {name}{'' if count == 1 else 's'}"


def terms_told(terms: Terms) -> dict[str, Any]:
    """The terms of a clock in words."""
    return {
        "each": _spelled(terms.each),
        "reminders": [spell_duration(after) for after in terms.reminders_within(terms.most)[:-1]],
        "may_be_short": terms.counts_used or terms.most < SHORTEST,
        "total": None if terms.total is None else _spelled(terms.total),
        "bank": None if terms.bank is None else _spelled(terms.bank),
        "increment": _spelled(terms.increment) if terms.increment else None,
    }


def _first_days(
    work: UnitOfWork, board: Board, now: datetime, player: Player | None
) -> Calendar | None:
    """The days of whose first move a board waits for, if that one can play."""
    mover = board.to_move
    if mover is None or not board.awaited_first_move:
        return None
    player = player or work.players.get(mover.player_id)
    return calendar_of(work, board, player, now) if player.status == "active" else None


def _first_move_due(board: Board, calendar: Calendar | None) -> datetime | None:
    """When a first move has to be made, on days that count for who is to make it."""
    if calendar is None or board.waits_since is None:
        return None
    return calendar.after(board.waits_since, REMINDED_AFTER + DECLINED_AFTER)


def _left(board: Board, wait: Wait | None) -> Iterable[tuple[str, timedelta]]:
    """What each player who is still in has left for all moves; a robot needs no time."""
    mover, terms = board.to_move, terms_of(board)
    for seat in board.seats if terms.counts_used else ():
        left = terms.left(timedelta(seconds=seat.used), in_time(seat.banked))
        if left is None or seat.robot or seat.player_id not in board.still_in:
            continue
        moves_now = wait is not None and mover is not None and mover.seat == seat.seat
        yield seat.handle, max(left - wait.spent if moves_now and wait else left, timedelta())


def _rough(left: timedelta) -> str:
    """A length to the hour, a short one to the minute."""
    unit = _HOUR if left >= _DAY else timedelta(minutes=1)
    return spell_duration(left // unit * unit)


def _spelled(seconds: int) -> str:
    return spell_duration(timedelta(seconds=seconds))
