"""How long a board has waited for a move, by the clock of who is to make it, and what comes next.

Nothing is written for a clock with a move: a board has one timer, which looks when it comes how
things stand, and is put off to the next moment that may matter. It is set earlier only where a
clock can run out before it would come.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pbm.errors import Refusal
from pbm.plain import from_plain
from pbm.play.clocks.calendar import Calendar, Stretch
from pbm.play.clocks.outages import UNNOTICED, outages
from pbm.play.clocks.terms import Terms, usual_terms
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Seat
from pbm.store.values.players import Player
from pbm.store.values.timers import TimerKind

_DAY = timedelta(days=1)
_MOST_BETWEEN_ZONES = timedelta(hours=26)
STOPPED_AT_MOST = timedelta(days=30)  # while mail to a player comes back
PAUSED_AT_MOST = timedelta(days=90)


@dataclass(frozen=True)
class Wait:
    """A board waits for a player's move: how much of the time for it has gone, and when it ends.

    `ends_at` is None where it is years away.
    """

    player: Player
    terms: Terms
    calendar: Calendar
    since: datetime
    elapsed: timedelta
    allowed: timedelta
    ends_at: datetime | None

    @property
    def is_over(self) -> bool:
        """Whether the time has run out."""
        return self.elapsed >= self.allowed

    @property
    def reminders(self) -> tuple[timedelta, ...]:
        """When the player is reminded, after the wait began."""
        return self.terms.reminders_within(self.allowed)

    @property
    def passed(self) -> int:
        """How many of these have come by now."""
        return sum(after <= self.elapsed for after in self.reminders)

    def passed_by(self, moment: datetime) -> int:
        """How many of these will have come by then."""
        moments = (self.when(after) for after in self.reminders)
        return sum(at is not None and at <= moment for at in moments)

    @property
    def coming(self) -> datetime | None:
        """When the next reminder is due, or the end; None where that is years away."""
        return self.when((*self.reminders, self.allowed)[self.passed])

    def when(self, elapsed: timedelta) -> datetime | None:
        """The moment when so much of it will have gone."""
        return self.calendar.after(self.since, elapsed)


def terms_of(board: Board) -> Terms:
    """The terms of a board's clock."""
    return from_plain(Terms, board.clock) if board.clock else usual_terms(len(board.seats))


def start_clock(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Let a new board be looked at when somebody may have to be reminded."""
    first = min((*terms_of(board).reminders, terms_of(board).each // 2))
    due_at = now + timedelta(seconds=first)
    work.timers.set(TimerKind.CLOCK, str(board.id), now, due_at, board_id=board.id)


def count_move(work: UnitOfWork, before: Board, after: Board, arrived: datetime) -> None:
    """Count the time for a move, where the terms of a clock ask how much was used before.

    A first move has a time of its own.
    """
    terms, mover = terms_of(before), before.to_move
    if not terms.counts_used or mover is None or before.waits_since is None:
        return
    if not before.awaited_first_move:
        calendar = calendar_of(work, before, work.players.get(mover.player_id), arrived)
        spent = calendar.elapsed(before.waits_since, max(arrived, before.waits_since))
        banked = terms.banked_after(spent, in_time(mover.banked))
        used = mover.used + int(spent.total_seconds())
        kept = None if banked is None else int(banked.total_seconds())
        work.waits.set_used(after, mover.seat, used, kept)
    look_in_time(work, work.boards.get(after.id), arrived)


def look_in_time(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Let the board be looked at before whoever is to move can run out of time."""
    wait = wait_of(work, board, now)
    coming = wait.coming if wait else None
    if coming is not None:
        work.timers.advance(TimerKind.CLOCK, [str(board.id)], coming, now)


def look_again(work: UnitOfWork, player_id: int, now: datetime) -> None:
    """Let all boards be looked at that wait for a player, whose calendar has changed."""
    waiting = work.boards.to_move(player_id)
    work.timers.advance(TimerKind.CLOCK, list(map(str, waiting)), now, now)
    look_at_first_moves(work, work.boards.get_many(waiting), now)


def look_at_first_moves(work: UnitOfWork, boards: Iterable[Board], now: datetime) -> None:
    """Let those of some boards be looked at that wait for a first move: its time may end earlier
    than it seemed."""
    known = (board for board in boards if board.is_installed)
    abouts = [about for board in known if (about := board.awaited_first_move)]
    for kind in (TimerKind.FIRST_MOVE_REMINDER, TimerKind.FIRST_MOVE_DECLINE):
        work.timers.advance(kind, abouts, now, now)


def check_time_left(work: UnitOfWork, player_id: int, now: datetime) -> None:
    """Raise Refusal where a player's calendar, as it is now, leaves no time on some board."""
    for board in work.boards.get_many(work.boards.to_move(player_id)):
        seat, since = board.to_move, board.waits_since
        if seat is None or since is None:
            continue
        if now - since < _allowed(board, seat) - _MOST_BETWEEN_ZONES:
            continue  # no calendar counts more
        wait = wait_of(work, board, now)
        if wait and wait.is_over:
            raise Refusal("would-run-out", number=board.id)


def wait_of(
    work: UnitOfWork, board: Board, now: datetime, player: Player | None = None
) -> Wait | None:
    """How a board's wait stands; None where no clock runs: it is over or paused, its player has not
    made a first move, for which there is a time of its own, or cannot play.

    `player` is who is to move, where that one is known already.
    """
    seat = board.to_move
    if seat is None or board.waits_since is None or board.awaited_first_move or board.paused_since:
        return None
    player = player or work.players.get(seat.player_id)
    if player.status != "active":
        return None
    terms, since = terms_of(board), board.waits_since
    calendar = calendar_of(work, board, player, now)
    allowed = _allowed(board, seat)
    ends_at = calendar.after(since, allowed)
    return Wait(player, terms, calendar, since, calendar.elapsed(since, now), allowed, ends_at)


def may_be_claimed(board: Board, wait: Wait) -> bool:
    """Whether the others may take out of the game whoever is to move.

    That is so where the time has run out, mail to that player comes back, so that no reminder
    arrives, and the others were told.
    """
    unreachable = wait.player.unreachable_since is not None
    return unreachable and wait.is_over and board.reminded > len(wait.reminders)


def stopped_until(board: Board, since: datetime) -> datetime:
    """Until when a clock stands still at most, to whose player mail comes back since a moment.

    For how long it has done so before in the same wait counts, so that nobody stops it for ever
    by being out of reach again and again.
    """
    before = (stop.end - stop.begin for stop in board.stops if stop.bounced)
    return since + max(STOPPED_AT_MOST - sum(before, timedelta()), timedelta())


def calendar_of(work: UnitOfWork, board: Board, player: Player, now: datetime) -> Calendar:
    """When a player's clock runs on a board."""
    since = (board.waits_since or now).date() - _DAY  # the date in another zone may differ by one
    away = tuple(
        (item.first_day, item.last_day)
        for item in work.vacations.of_player(player.id, since)
        if item.board_id in (None, board.id)
    )
    return Calendar(
        ZoneInfo(player.settings.timezone),
        weekends_off=not player.settings.weekend,
        away=away,
        stopped=(*_lost(work, board, now), *_unreached(board, player), *_halted(board)),
    )


def _lost(work: UnitOfWork, board: Board, now: datetime) -> tuple[Stretch, ...]:
    """When nobody could write to us; of a wait that has just begun nothing can be lost."""
    if board.waits_since and now - board.waits_since <= UNNOTICED:
        return ()
    return tuple(outages(work, now))


def _halted(board: Board) -> tuple[Stretch, ...]:
    """When the clock of a board stood still, with a pause that goes on."""
    since = board.paused_since
    stops = tuple((stop.begin, stop.end) for stop in board.stops)
    return (*stops, (since, since + PAUSED_AT_MOST)) if since else stops


def _allowed(board: Board, seat: Seat) -> timedelta:
    used, given = timedelta(seconds=seat.used), timedelta(seconds=board.given)
    return terms_of(board).allowed(used, in_time(seat.banked), given)


def in_time(count: int | None) -> timedelta | None:
    """Seconds as they are kept."""
    return None if count is None else timedelta(seconds=count)


def _unreached(board: Board, player: Player) -> tuple[Stretch, ...]:
    since = player.unreachable_since
    return ((since, stopped_until(board, since)),) if since else ()
