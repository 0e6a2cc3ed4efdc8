"""Waits for a move: how long a player has taken by the player's clock, and what is due next.

A board has one clock timer. It is always set to the next moment that may matter. A move sets it
only if a clock can run out before the timer fires.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

from pbm.errors import Refusal
from pbm.plain import from_plain
from pbm.play.clocks.calendar import UNNOTICED, Calendar, Stretch, outages
from pbm.play.clocks.terms import LAST_REMINDER, SHORTEST, Terms, parse_duration, usual_terms
from pbm.store.db import UnitOfWork
from pbm.store.repositories.clocks import vacations_read
from pbm.store.sql.statement import Read
from pbm.store.values.boards import Board, Seat, Stop
from pbm.store.values.players import Player, Vacation
from pbm.store.values.queues import TimerKind

_DAY = timedelta(days=1)
_MOST_BETWEEN_ZONES = timedelta(hours=26)
STOPPED_AT_MOST = timedelta(days=30)  # while mail to a player bounces
PAUSED_AT_MOST = timedelta(days=90)
PAUSED_BY_ALL = timedelta(days=30)  # then any player may end a pause
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Wait:
    """A board's wait for a move, as it is at `now`."""

    player: Player
    terms: Terms
    calendar: Calendar
    since: datetime
    now: datetime
    allowed: timedelta
    ends_at: datetime | None  # the deadline; None if it is years away

    @property
    def is_over(self) -> bool:
        return self.ends_at is not None and self.ends_at <= self.now

    @property
    def spent(self) -> timedelta:
        """The time that this wait has taken of the player's total time or bank."""
        return self.calendar.going_on.elapsed(self.since, self.now)

    @cached_property
    def reminders(self) -> tuple[datetime | None, ...]:
        """The times at which the reminders are due. A time that is years away is None."""
        *first, _ = self.terms.reminders_within(self.allowed)
        wanted = self.player.settings.reminders
        least = self.allowed if wanted == "last" else parse_duration(wanted) or timedelta()
        last = self.ends_at and self.ends_at - LAST_REMINDER
        earlier = (self.calendar.after(self.since, after) for after in first if after >= least)
        return (*earlier, last)

    def passed_by(self, moment: datetime) -> int:
        return sum(at is not None and at <= moment for at in self.reminders)

    @property
    def coming(self) -> datetime | None:
        """The time of the next reminder, or else of the end. It is None if years away."""
        return (*self.reminders, self.ends_at)[self.passed_by(self.now)]


def terms_of(board: Board) -> Terms:
    return from_plain(Terms, board.clock) if board.clock else usual_terms(len(board.seats))


def start_clock(work: UnitOfWork, board: Board, now: datetime) -> None:
    due_at = now + first_look(board)
    work.timers.set(TimerKind.CLOCK, str(board.id), now, due_at, board_id=board.id)


def first_look(board: Board) -> timedelta:
    """Return the shortest time from the start of a wait to its first reminder."""
    return timedelta(seconds=min((*terms_of(board).reminders, terms_of(board).each // 2)))


def count_move(work: UnitOfWork, before: Board, after: Board, arrived: datetime) -> None:
    """Add a person's time for a move to the time used, if the terms limit all moves together."""
    terms, mover = terms_of(before), before.to_move
    if mover is not None and mover.unreachable:
        count_stop(work, before, work.players.get(mover.player_id), arrived)
    if not terms.counts_used or mover is None or before.waits_since is None:
        return
    if not (before.awaited_first_move or mover.robot):
        calendar = calendar_of(work, before, work.players.get(mover.player_id), arrived)
        until = max(arrived, before.waits_since)
        spent = calendar.going_on.elapsed(before.waits_since, until).total_seconds()
        banked = terms.banked_after(spent, mover.banked)
        work.boards.set_seat(after, mover.seat, used=mover.used + int(spent), banked=banked)
        full = terms.bank if mover.banked is None else mover.banked
        added = None if banked is None or full is None else banked - full
        work.playing.note_time(after, int(spent), added)
    look_in_time(work, work.boards.get(after.id), arrived)


def look_in_time(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Advance a board's timer to the next reminder, or to the deadline if no reminder is left.

    If the timer is set to an earlier time, that is kept.
    """
    wait = wait_of(work, board, now)
    missing = wait is not None and board.reminded < wait.passed_by(now)
    coming = now if missing else wait.coming if wait else None
    if coming is not None:
        work.timers.advance(TimerKind.CLOCK, [str(board.id)], coming, now)


def look_again(work: UnitOfWork, player_id: int, now: datetime) -> None:
    """After a change of a player's calendar, make all timers that wait for the player fire now."""
    waiting = work.boards.to_move(player_id)
    work.timers.advance(TimerKind.CLOCK, list(map(str, waiting)), now, now)
    look_at_first_moves(work, work.boards.get_many(waiting), now)


def look_at_first_moves(work: UnitOfWork, boards: Iterable[Board], now: datetime) -> None:
    """Make the timers of first moves that are awaited on `boards` fire now."""
    known = (board for board in boards if board.is_installed)
    abouts = [about for board in known if (about := board.awaited_first_move)]
    for kind in (TimerKind.FIRST_MOVE_REMINDER, TimerKind.FIRST_MOVE_DECLINE):
        work.timers.advance(kind, abouts, now, now)


def check_time_left(work: UnitOfWork, player_id: int, now: datetime) -> None:
    """Raise Refusal if a player's new calendar would end the time for a move on any board."""
    for board in work.boards.get_many(work.boards.to_move(player_id)):
        seat, since = board.to_move, board.waits_since
        if seat is None or since is None:
            continue
        each, left = timedelta(seconds=terms_of(board).each + board.given), time_left(board, seat)
        if now - since < (each if left is None else min(each, left)) - _MOST_BETWEEN_ZONES:
            continue  # no calendar can count more
        wait = wait_of(work, board, now)
        if wait and wait.is_over:
            raise Refusal("would-run-out", number=board.id)


def wait_of(work: UnitOfWork, board: Board, now: datetime) -> Wait | None:
    """Return the wait for the next move; None if no clock runs."""
    seat = board.to_move
    if seat is None or board.waits_since is None or board.awaited_first_move or board.paused_since:
        return None
    if seat.robot is not None:
        return None
    player = work.players.get(seat.player_id)
    if not player.is_active:
        return None
    terms, since = terms_of(board), board.waits_since
    calendar = calendar_of(work, board, player, now)
    clocks = [(calendar, timedelta(seconds=terms.each + board.given))]
    left = time_left(board, seat)
    if left is not None:
        clocks.append((calendar.going_on, left))
    ends = [(_end(terms, since, *clock), *clock) for clock in clocks]
    ends_at, running, allowed = min(ends, key=lambda end: end[0] or _NEVER)
    return Wait(player, terms, running, since, now, allowed, ends_at)


def _end(terms: Terms, since: datetime, calendar: Calendar, allowed: timedelta) -> datetime | None:
    """Return when the time for a move is over; None if that is years away."""
    end = calendar.after(since, allowed)
    if allowed >= SHORTEST:
        return end
    reminded_at = calendar.after(since, terms.reminders_within(allowed)[-1])
    return end and reminded_at and max(end, reminded_at + LAST_REMINDER)


def may_be_claimed(board: Board, wait: Wait) -> bool:
    """Return whether the others may claim that the player to move has lost by time."""
    unreachable = wait.player.unreachable_since is not None
    unreachable = unreachable or not stop_left(board, wait.player.id)
    return unreachable and wait.is_over and board.reminded > len(wait.reminders)


def warned_from(board: Board, wait: Wait) -> datetime:
    """Return when reminders begin to count as warnings: when the clock last began to run."""
    return max((wait.since, *(stop.end for stop in board.stops)))


def stop_left(board: Board, player_id: int) -> timedelta:
    """Return how much longer a player's clock may stop on a board while mail bounces."""
    stopped = sum(seat.stopped for seat in board.seats_of(player_id))
    return max(STOPPED_AT_MOST - timedelta(seconds=stopped), timedelta())


def count_stop(work: UnitOfWork, board: Board, player: Player, now: datetime) -> Stop | None:
    """Store and return the period for which bounced mails stopped a player's clock, if any."""
    since, left = player.unreachable_since, stop_left(board, player.id)
    if since is None or board.waits_since is None or not left:
        return None
    stop = Stop(max(since, board.waits_since), min(now, since + left), bounced=True)
    count_more(work, board.id, player.id, max(stop.end - stop.begin, timedelta()))
    return stop


def count_more(work: UnitOfWork, number: int, player_id: int, length: timedelta) -> None:
    """Add `length` to the stored time for which a player's clock stood still on a board."""
    board = work.boards.get(number)
    seat = board.seats_of(player_id)[0]
    work.boards.set_seat(board, seat.seat, stopped=seat.stopped + int(length.total_seconds()))


def calendar_read(board: Board, now: datetime) -> tuple[Read, ...]:
    """Return the query for vacations of the player to move, to prefetch it for `calendar_of`."""
    if board.to_move is None:
        return ()
    return (vacations_read(board.to_move.player_id, _calendar_since(board, now)),)


def _calendar_since(board: Board, now: datetime) -> date:
    return (board.waits_since or now).date() - _DAY  # the date in another zone may differ by one


def calendar_of(work: UnitOfWork, board: Board, player: Player, now: datetime) -> Calendar:
    zone = ZoneInfo(player.settings.timezone)
    found = work.vacations.of_player(player.id, _calendar_since(board, now))
    away = (item for item in found if item.board_id in (None, board.id))
    # A wait that has just begun has no outage.
    is_new = board.waits_since is not None and now - board.waits_since <= UNNOTICED
    lost = () if is_new else outages(work, now)
    halted = [(stop.begin, stop.end) for stop in board.stops if not stop.bounced]
    if board.paused_since:
        halted.append((board.paused_since, board.paused_since + PAUSED_AT_MOST))
    unreached = [(stop.begin, stop.end) for stop in board.stops if stop.bounced]
    if since := player.unreachable_since:
        unreached.append((since, since + stop_left(board, player.id)))
    return Calendar(
        zone,
        weekends_off=not player.settings.weekend,
        away=tuple(_wall_time(item, zone) for item in away),
        stopped=(*lost, *halted),
        unreached=tuple(unreached),
    )


def _wall_time(vacation: Vacation, zone: ZoneInfo) -> Stretch:
    """Return a vacation in wall time of a zone. It may have begun in another one."""
    its = ZoneInfo(vacation.zone) if vacation.zone else zone
    days = vacation.first_day, vacation.last_day + _DAY
    begin, end = (datetime.combine(day, time(), its).astimezone(zone) for day in days)
    return begin.replace(tzinfo=None), end.replace(tzinfo=None)


def time_left(board: Board, seat: Seat) -> timedelta | None:
    """Return what a seat had left for all its moves when the wait began; None if unlimited."""
    left = terms_of(board).left(seat.used, seat.banked)
    return None if left is None else timedelta(seconds=max(left, 0))
