"""Deadlines of moves: reminders, and the end of a player's time.

A player's first move on a board has its own deadline, after which the board is declined. Later
moves are timed by the board's clock. One reminder names all boards that wait for a player.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbm.clock import local_time
from pbm.events import BoardEnded, Reminded
from pbm.events.board import (
    BoardFact,
    FirstMoveDue,
    FirstMoveMissed,
    ForfeitClaimable,
    MoveDue,
    PauseRunOut,
)
from pbm.play.actions import decline_board, forfeit
from pbm.play.boards import request_first_move
from pbm.play.clocks.pauses import keep, note_reminded, resume
from pbm.play.clocks.terms import DECLINED_AFTER, REMINDED_AFTER
from pbm.play.clocks.vacations import take_by_itself
from pbm.play.clocks.waits import (
    PAUSED_AT_MOST,
    Wait,
    calendar_of,
    first_look,
    stop_left,
    wait_of,
    warned_from,
)
from pbm.play.happened import record
from pbm.play.subjects import games_subject
from pbm.service.telling.announce import announce_boards, shown_to
from pbm.service.telling.later import take_waiting, with_news
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.ticks.tick import Tick, announce_several
from pbm.store.queues.timers import ALL_KEPT
from pbm.store.values.boards import Board, Stop
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player
from pbm.store.values.queues import Timer, TimerKind

_LOOK_AGAIN_AFTER = timedelta(hours=6)
_HEARD_LATE = timedelta(hours=1)  # a forfeit waits for mail that came up to an hour late, not more
_NO_CLOCK_RUNS = timedelta(days=1)
WARNED_BEFORE = timedelta(hours=24)  # a reminder must be delivered this long before a forfeit
SOON = timedelta(days=1)  # a reminder includes those that are due within this time
_MOST_NAMED = 100  # boards in a reminder; bounds the time of its transaction
_MOST_SHOWN = 8  # boards with diagrams in a reminder
_NO_BOARD = 0
_REMINDER, _DECLINE = TimerKind.FIRST_MOVE_REMINDER, TimerKind.FIRST_MOVE_DECLINE


def watch_clock(tick: Tick) -> str | datetime:
    """Check the clock of a board, and return when to check it next."""
    board = tick.locked_board
    if board is None or not board.playing:
        return "the board is over"
    if not board.is_installed:  # no move is possible: give back the time until the next check
        until = tick.now + _NO_CLOCK_RUNS
        keep(tick.work, board, Stop(tick.timer.set_at, until))
        return until
    if board.paused_since:
        until = board.paused_since + PAUSED_AT_MOST
        if tick.now < until:
            return min(until, tick.now + _NO_CLOCK_RUNS)
        resume(tick.work, board, tick.now)
        announce_boards(tick, [PauseRunOut(board.id, PAUSED_AT_MOST.days)])
        return _first_look(tick, board)
    wait = wait_of(tick.work, board, tick.now)
    if wait is None:
        return _next_look(tick, board, wait)
    if wait.is_over and wait.ends_at is not None:
        return _run_out(tick, board, wait, wait.ends_at)
    passed = wait.passed_by(tick.now)
    if passed > board.reminded:
        _remind(tick, board, wait, passed)
    else:
        _discount_early(tick, board)
    return _next_look(tick, board, wait)


def _run_out(tick: Tick, board: Board, wait: Wait, ends_at: datetime) -> str | datetime:
    """Handle the end of a player's time. A player without a timely reminder does not forfeit."""
    player = wait.player
    if waiting := tick.waits_for_mail(min(tick.now, ends_at + _HEARD_LATE)):
        return waiting
    if tick.now < ends_at + ALL_KEPT:  # mail of the last minute may not be kept yet
        return ends_at + ALL_KEPT
    if player.unreachable_since is not None:
        return _let_others_claim(tick, board, wait)
    taken = take_by_itself(tick.work, board, player, ends_at)
    if taken is not None:
        announce_several(tick, [taken])
        _discount_early(tick, board)
        return _first_look(tick, board)
    since = warned_from(board, wait)
    reminders = tick.work.reminders
    if not reminders.was_taken(player.id, board.id, since, tick.now - WARNED_BEFORE):
        if not reminders.is_under_way(player.id, board.id, since):
            if board.reminded >= len(wait.reminders) and not stop_left(board, player.id):
                return _let_others_claim(tick, board, wait)
            _remind(tick, board, wait, len(wait.reminders))
        return tick.now + _LOOK_AGAIN_AFTER
    events = forfeit(tick, board, player)
    announce_several(tick, events)
    if any(isinstance(event, BoardEnded) and event.board_id == board.id for event in events):
        return f"{player.handle} has forfeited board {board.id}"
    return _first_look(tick, board)


def _let_others_claim(tick: Tick, board: Board, wait: Wait) -> datetime:
    """Tell the other players, once, that they may claim a forfeit of an unreachable player."""
    player, told = wait.player, len(wait.reminders) + 1
    if board.reminded < told:
        tick.work.boards.set(board, reminded=told)
        announce_several(tick, [ForfeitClaimable(board.id, player.id)], but=player.id)
    return tick.now + _NO_CLOCK_RUNS


def _remind(tick: Tick, board: Board, wait: Wait, times: int) -> None:
    by = note_reminded(tick.work, board, times, tick.now) or tick.now + WARNED_BEFORE
    remind(tick, wait.player, Awaited(tick.work.boards.get(board.id), wait.since, by))


def _discount_early(tick: Tick, board: Board) -> None:
    """Discount reminders that are due later than they were, since some days no longer count."""
    wait = wait_of(tick.work, board, tick.now) if board.reminded else None
    soon = wait.passed_by(tick.now + SOON) if wait else board.reminded
    if soon < board.reminded:
        tick.work.boards.set(board, reminded=soon)


def _first_look(tick: Tick, board: Board) -> datetime:
    return _next_look(tick, board, wait_of(tick.work, tick.work.boards.get(board.id), tick.now))


def _next_look(tick: Tick, board: Board, wait: Wait | None) -> datetime:
    """Return when to check next: at the next reminder, or when a player's time ends."""
    another = tick.now + first_look(board)
    if wait is not None:
        return max(min(wait.coming or another, another), tick.now + ALL_KEPT)
    later = tick.now + _NO_CLOCK_RUNS
    is_robots = board.to_move and board.to_move.robot  # a robot's move sets no timer
    return min(later, another) if is_robots else later


def watch_first_move(tick: Tick) -> str | datetime:
    """Remind a player of a first move, or decline the board, as the timer's kind says."""
    board = tick.locked_board
    if board is not None and not board.is_installed:
        return tick.now + REMINDED_AFTER
    if board is None or board.awaited_first_move != tick.timer.about:
        return "the board has gone on"
    act = _remind_of_first_move if tick.timer.kind == _REMINDER else _decline_first_move
    return act(tick, board, tick.player)


def _remind_of_first_move(tick: Tick, board: Board, player: Player) -> str | datetime:
    if not player.is_active:
        return tick.now + REMINDED_AFTER
    calendar = calendar_of(tick.work, board, player, tick.now)
    remind_at = calendar.after(tick.timer.since, REMINDED_AFTER)
    if remind_at is None or tick.now < remind_at:  # None if no day of the player counts for years
        return remind_at or tick.now + REMINDED_AFTER
    awaited = _first_move(tick, player, board, tick.timer)
    if not awaited.counts:
        return f"{player.handle} was reminded of board {board.id} before"
    remind(tick, player, awaited)
    return f"reminded {player.handle} of board {board.id}"


def _decline_first_move(tick: Tick, board: Board, player: Player) -> str | datetime:
    if not player.is_active:
        request_first_move(tick.work, board, tick.now)
        return f"{player.handle} is {player.status}, so the time begins anew"
    calendar = calendar_of(tick.work, board, player, tick.now)
    by = calendar.after(tick.timer.since, DECLINED_AFTER) or tick.now + REMINDED_AFTER
    if tick.now < by + ALL_KEPT:  # not all of the time meanwhile counts
        return by + ALL_KEPT
    if wait := tick.waits_for_mail(by):
        return wait
    announce_several(tick, decline_board(tick.work, board, player, tick.now, FirstMoveMissed))
    return f"declined board {board.id} for {player.handle}"


@dataclass(frozen=True)
class Awaited:
    board: Board
    since: datetime  # when the wait for the move began
    by: datetime  # when the player's time ends
    is_first: bool = False  # the player's first move on the board
    counts: bool = True  # a joint reminder takes the place of this move's own next one

    def is_half_over(self, now: datetime) -> bool:
        return now - self.since >= (self.by - self.since) / 2


def remind(tick: Tick, player: Player, due: Awaited) -> None:
    """Remind a player of the move `due` and of all other awaited moves, in one mail.

    This begins an absence, which is the time until the player's next mail.
    """
    if not player.addresses:
        return
    tick.work.players.begin_absence(player.id, tick.now)
    record(tick.work, due.board.id, [Reminded(due.board.id, player.id)], tick.now)
    numbers = tick.work.boards.to_move(player.id)
    others = [*_others(tick, player, due)] if len(numbers) > 1 else []
    zone, writer = player.settings.timezone, MailWriter(tick)
    server = tick.site.address.plain
    if not others:
        write_to = server if due.is_half_over(tick.now) else ""
        when = (due.board.id, local_time(due.since, zone), local_time(due.by, zone), write_to)
        fact: BoardFact = FirstMoveDue(*when) if due.is_first else MoveDue(*when)
        view = shown_to(tick, player, due.board, fact)
        writer.board(player, due.board, view, Kind.BOARD if due.is_first else Kind.REMINDER)
        return
    awaited = sorted([due, *others], key=lambda item: (item.by, item.board.id))
    shown = [item.board for item in awaited[:_MOST_SHOWN]]
    section: dict[str, Any] = {
        "section": "reminders",
        "awaited": [
            {
                "number": item.board.id,
                "players": [one.handle for one in item.board.seats if one.player_id != player.id],
                "since": local_time(item.since, zone),
                "by": local_time(item.by, zone),
                "is_first": item.is_first,
            }
            for item in awaited
        ],
        "boards": [
            with_news(shown_to(tick, player, each), take_waiting(tick, player, each))
            for each in shown
        ],
        "write_to": server if any(item.is_half_over(tick.now) for item in awaited) else "",
        "more": len(numbers) - len(awaited),
        "hidden": len(awaited) - len(shown),
    }
    subject = games_subject([None], f"{len(numbers)} wait for your move")
    counted = [item.board.id for item in awaited if item.counts]
    boards = section["boards"]
    message_id = writer.answer(
        player, [section], subject=subject, kind=Kind.REMINDERS, shown=boards
    )
    if counted:  # a forfeit checks that the reminder of these boards was delivered
        tick.work.reminders.name_boards(message_id, counted)


def tell_dates(tick: Tick) -> str:
    """Remind a player of all awaited moves, since a long outage has changed the deadlines."""
    player = tick.player
    if not player.is_active or player.robot or player.unreachable_since:
        return f"{player.handle} gets no mail"
    found = tick.work.boards.longest_waiting(player.id, _NO_BOARD, _MOST_NAMED)
    awaited = (_move(tick, player, board) for board in found if board.is_installed)
    due = next(filter(None, awaited), None)
    if due is not None:
        remind(tick, player, due)
    return f"told {player.handle} by when moves are due"


def _others(tick: Tick, player: Player, due: Awaited) -> Iterator[Awaited]:
    """Yield the awaited moves of the player except `due`. Boards that are locked are skipped."""
    found = tick.work.boards.longest_waiting(player.id, due.board.id, _MOST_NAMED - 1)
    boards = [board for board in found if board.is_installed]
    abouts = [board.awaited_first_move for board in boards if board.awaited_first_move]
    timers = tick.work.timers
    first_moves = {**timers.about(_REMINDER, abouts), **timers.about(_DECLINE, abouts)}
    for board in boards:
        if board.paused_since:
            continue
        about = board.awaited_first_move
        if about is None:
            if awaited := _move(tick, player, board):
                yield awaited
        elif about in first_moves:
            yield _first_move(tick, player, board, first_moves[about])


def _move(tick: Tick, player: Player, board: Board) -> Awaited | None:
    """Return the move that the player has to make on this board; None if no clock runs."""
    wait = wait_of(tick.work, board, tick.now)
    if wait is None:
        return None
    times = wait.passed_by(tick.now + SOON)
    counts = times > board.reminded or (
        wait.is_over
        and not tick.work.reminders.is_under_way(player.id, board.id, warned_from(board, wait))
    )
    by = note_reminded(tick.work, board, times, tick.now) if counts else wait.ends_at
    board = tick.work.boards.get(board.id)
    return Awaited(board, wait.since, by or tick.now + WARNED_BEFORE, counts=counts)


def _first_move(tick: Tick, player: Player, board: Board, timer: Timer) -> Awaited:
    """Return an awaited first move, which a mail names now."""
    since, now = timer.since, tick.now
    calendar = calendar_of(tick.work, board, player, now)
    if timer.kind == _DECLINE:  # set when the reminder was sent
        by = calendar.after(since, DECLINED_AFTER) or since + DECLINED_AFTER
        since = board.waits_since or since - REMINDED_AFTER
        return Awaited(board, since, by, is_first=True, counts=False)
    at = max(now, calendar.after(since, REMINDED_AFTER) or now + REMINDED_AFTER)
    by = calendar.after(at, DECLINED_AFTER) or at + DECLINED_AFTER
    counts = at <= now + SOON and tick.work.timers.set(
        *(_DECLINE, timer.about, now, by + ALL_KEPT),
        since=at,
        board_id=board.id,
        player_id=player.id,
    )
    return Awaited(board, since, by, is_first=True, counts=counts)
