"""Time that does not count on a board: pauses, other stops of the clock, and gifts of time."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from pbm.errors import Refusal
from pbm.events.board import TimeGiven
from pbm.play.clocks import waits
from pbm.play.clocks.terms import LAST_REMINDER
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Seat, Stop
from pbm.store.values.players import Player

_LATE = timedelta(hours=1)  # mails may be that late anyway


def check_pause(board: Board) -> None:
    """Raise Refusal if a board is paused already, or no clock runs yet."""
    if board.paused_since:
        raise Refusal("paused-already", number=board.id)
    if board.awaited_first_move:
        raise Refusal("too-early-to-pause", number=board.id)


def check_resume(board: Board) -> None:
    """Raise Refusal if there is no pause to end."""
    if not board.paused_since:
        raise Refusal("not-paused", number=board.id)


def resume(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Restart the clocks of a paused board; the time of the pause does not count."""
    if since := board.paused_since:
        kept = keep(work, board, Stop(since, min(now, since + waits.PAUSED_AT_MOST)))
        board = work.boards.set(kept, paused_since=None)
        waits.look_in_time(work, board, now)
        waits.look_at_first_moves(work, [board], now)


def keep_stop(work: UnitOfWork, player: Player, now: datetime) -> None:
    """Store how long bounced mail stopped a player's clocks. Earlier reminders no longer count."""
    for board in _awaited(work, player):
        stop = waits.count_stop(work, board, player, now)
        if stop is None:
            continue
        kept = keep(work, board, stop)
        after = leave_a_day(work, kept, now)
        if after is not kept:
            waits.count_more(work, board.id, player.id, LAST_REMINDER)
        _begin_anew(work, after, now)


def give_back(work: UnitOfWork, player: Player, since: datetime, now: datetime) -> None:
    """Give back to a player the time since `since`, in which the player could not play."""
    for board in _awaited(work, player):
        _begin_anew(work, keep(work, board, Stop(since, now)), now)


def note_reminded(work: UnitOfWork, board: Board, times: int, now: datetime) -> datetime | None:
    """Store that `times` reminders of a move have been sent, and return the deadline of the move.

    If the last reminder is late, the deadline is moved, so that a day is left after the reminder.
    """
    wait = waits.wait_of(work, board, now)
    if wait is not None and times >= len(wait.reminders):
        since = waits.warned_from(board, wait)
        if not work.reminders.is_under_way(wait.player.id, board.id, since):
            board = leave_a_day(work, board, now)
            wait = waits.wait_of(work, board, now)
    work.boards.set(board, reminded=times)
    return wait.ends_at if wait else None


def leave_a_day(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Move the deadline of a move by the delay of its last reminder, if it exceeds an hour."""
    wait = waits.wait_of(work, board, now)
    last = wait.reminders[-1] if wait else None
    return keep(work, board, Stop(last, now)) if last and now - last > _LATE else board


def _awaited(work: UnitOfWork, player: Player) -> Iterator[Board]:
    """Lock and yield the boards on which a player is to move, if their games are installed."""
    boards = (work.boards.get(number, lock=True) for number in work.boards.to_move(player.id))
    return (board for board in boards if board.is_installed)


def _begin_anew(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Begin anew with the reminders of a move. Reminders sent before do not count."""
    stops = (*board.stops, Stop(now, now))  # reminders count as warnings from here on
    board = work.boards.set(board, stops=stops, reminded=0)
    waits.look_in_time(work, board, now)
    waits.look_at_first_moves(work, [board], now)


def keep(work: UnitOfWork, board: Board, stop: Stop) -> Board:
    """Store that a board's clock stood still during the part of `stop` after the last move."""
    begin, before = max(stop.begin, board.waits_since or stop.begin), board.stops
    if begin >= stop.end:
        return board
    last = before[-1] if before else None
    if last and last.begin <= begin <= last.end and last.bounced == stop.bounced:
        begin, before = last.begin, before[:-1]  # the same stop continues
    return work.boards.set(board, stops=(*before, replace(stop, begin=begin)))


SHORTEST_GIFT, LONGEST_GIFT = timedelta(hours=1), timedelta(days=30)
MOST_GIVEN = timedelta(days=365)  # total of gifts to a player


def give_time(
    work: UnitOfWork, board: Board, giver: Player, time: timedelta, now: datetime
) -> TimeGiven:
    """Give time to the player to move. Raises Refusal.

    If the terms limit the time for all moves together, give time to each player except `giver`.
    """
    terms, mover = waits.terms_of(board), board.to_move
    others = [item for item in board.seats if item.player_id in board.still_in]
    others = [item for item in others if item.player_id != giver.id]
    runs = mover is not None and mover.player_id != giver.id and not board.awaited_first_move
    runs = runs and not (mover and mover.robot)
    if not runs and not terms.counts_used:
        raise Refusal("no-clock-runs", number=board.id, own=mover in board.seats_of(giver.id))
    add_time(work, board, others, time, now, to_wait=runs)
    given_to = others if terms.counts_used else [mover] if mover else []
    players = dict.fromkeys(item.player_id for item in given_to)
    return TimeGiven(board.id, giver.id, tuple(players), int(time.total_seconds()))


def add_time(
    work: UnitOfWork,
    board: Board,
    seats: Iterable[Seat],
    time: timedelta,
    now: datetime,
    *,
    to_wait: bool,
) -> None:
    """Add time to the present wait, and to what `seats` have for all moves together, if limited.

    Raises Refusal if that is too much.
    """
    terms, seconds = waits.terms_of(board), int(time.total_seconds())
    if to_wait:
        _check(board, timedelta(seconds=board.given + seconds))
        board = work.boards.set(board, given=board.given + seconds)
    for seat in seats if terms.counts_used else ():
        _check(board, timedelta(seconds=seconds - seat.used))
        banked = terms.bank if seat.banked is None else seat.banked
        banked = None if terms.bank is None or banked is None else banked + seconds
        work.boards.set_seat(board, seat.seat, used=seat.used - seconds, banked=banked)
    board = work.boards.get(board.id)
    wait = waits.wait_of(work, board, now)
    if wait is not None:
        work.boards.set(board, reminded=min(board.reminded, wait.passed_by(now)))
        waits.look_in_time(work, board, now)


def _check(board: Board, given: timedelta) -> None:
    if given > MOST_GIVEN:
        raise Refusal("enough-given", number=board.id, most=int(MOST_GIVEN.total_seconds()))
