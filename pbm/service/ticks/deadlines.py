"""Deadlines of moves: reminders, and the end of a player's time.

A board has a clock. A first move has its own deadline, after which the board is declined.
"""

from datetime import datetime, timedelta
from typing import Any

from pbm.events import BoardEnded
from pbm.events.board import FirstMoveMissed, ForfeitClaimable, PauseRunOut
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
from pbm.service.telling.announce import announce_boards
from pbm.service.ticks.reminders import SOON, WARNED_BEFORE, Awaited, remind
from pbm.service.ticks.tick import Again, Tick, announce_several
from pbm.store.queues.timers import ALL_KEPT
from pbm.store.values.boards import Board, Stop
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

_LOOK_AGAIN_AFTER = timedelta(hours=6)
_HEARD_LATE = timedelta(hours=1)  # after the end; a flood of mails cannot defer a forfeit for ever
_NO_CLOCK_RUNS = timedelta(days=1)
_COUNTS_LATER = "not all of the time meanwhile counts"


def watch_clock(tick: Tick) -> str | Again:
    """Remind, forfeit, resume after the longest pause, or schedule the next look."""
    board = tick.locked_board
    if board is None or not board.playing:
        return "the board is over"
    if not board.is_installed:  # give back the time to the next look, as no move is possible
        until = tick.now + _NO_CLOCK_RUNS
        keep(tick.work, board, Stop(tick.timer.set_at, until))
        return Again(until, f"the game of board {board.id} is not installed")
    if board.paused_since:
        until = board.paused_since + PAUSED_AT_MOST
        if tick.now < until:
            return Again(min(until, tick.now + _NO_CLOCK_RUNS), f"board {board.id} is paused")
        resume(tick.work, board, tick.now)
        announce_boards(tick, [PauseRunOut(board.id, PAUSED_AT_MOST.days)])
        return Again(_first_look(tick, board), f"the pause of board {board.id} has run out")
    wait = wait_of(tick.work, board, tick.now)
    if wait is None:
        return Again(_look_without_clock(tick, board), f"no clock runs on board {board.id}")
    player = wait.player
    if wait.is_over and wait.ends_at is not None:
        return _run_out(tick, board, player, wait, wait.ends_at)
    passed, soon = wait.passed, wait.passed_by(tick.now + SOON)
    if passed > board.reminded:
        _remind(tick, board, player, wait, passed)
    elif soon < board.reminded:  # days that no longer count have postponed reminders
        tick.work.boards.set(board, reminded=soon)
    return Again(_next_look(tick, board, wait), f"looked at the clock of board {board.id}")


def _run_out(
    tick: Tick, board: Board, player: Player, wait: Wait, ends_at: datetime
) -> str | Again:
    """Forfeit for a player who ran out of time, if a reminder has arrived.

    Mail received up to `_HEARD_LATE` after the end still counts.
    """
    if waiting := tick.waits_for_mail(min(tick.now, ends_at + _HEARD_LATE)):
        return waiting
    if tick.now < ends_at + ALL_KEPT:
        return Again(ends_at + ALL_KEPT, "mail of the last minute may not be kept yet")
    if player.unreachable_since is not None:
        return _let_others_claim(tick, board, player, wait)
    taken = take_by_itself(tick.work, board, player, ends_at)
    if taken is not None:
        announce_several(tick, [taken])
        return Again(_first_look(tick, board), f"took vacation for {player.handle}")
    since = warned_from(board, wait)
    reminders = tick.work.reminders
    if not reminders.was_taken(player.id, board.id, since, tick.now - WARNED_BEFORE):
        if not reminders.is_under_way(player.id, board.id, since):
            if board.reminded >= len(wait.reminders) and not stop_left(board, player.id):
                return _let_others_claim(tick, board, player, wait)
            _remind(tick, board, player, wait, len(wait.reminders))
        return Again(tick.now + _LOOK_AGAIN_AFTER, f"no reminder has reached {player.handle} yet")
    events = forfeit(tick.work, board, player, tick.now)
    announce_several(tick, events)
    done = f"{player.handle} has forfeited board {board.id}"
    if any(isinstance(event, BoardEnded) and event.board_id == board.id for event in events):
        return done
    return Again(_first_look(tick, board), done)


def _let_others_claim(tick: Tick, board: Board, player: Player, wait: Wait) -> Again:
    """Tell the others once that they may claim a forfeit, as no reminder reaches the player."""
    told = len(wait.reminders) + 1
    if board.reminded < told:
        tick.work.boards.set(board, reminded=told)
        announce_several(tick, [ForfeitClaimable(board.id, player.handle)], but=player.id)
    return Again(tick.now + _NO_CLOCK_RUNS, f"others may claim that {player.handle} forfeits")


def _remind(tick: Tick, board: Board, player: Player, wait: Wait, times: int) -> None:
    by = note_reminded(tick.work, board, times, tick.now) or tick.now + WARNED_BEFORE
    remind(tick, player, Awaited(tick.work.boards.get(board.id), wait.since, by))


def _next_look(tick: Tick, board: Board, wait: Wait) -> datetime:
    """When the next reminder or the end may be due, of this wait or of the next player's."""
    another = tick.now + first_look(board)
    return max(min(wait.coming or another, another), tick.now + ALL_KEPT)


def _first_look(tick: Tick, board: Board) -> datetime:
    """When the player to move may need a reminder."""
    wait = wait_of(tick.work, tick.work.boards.get(board.id), tick.now)
    return _next_look(tick, board, wait) if wait else _look_without_clock(tick, board)


def _look_without_clock(tick: Tick, board: Board) -> datetime:
    """When to look again at a stopped clock: early if a robot is to move, which sets no timer."""
    soon = min(_NO_CLOCK_RUNS, first_look(board))
    return tick.now + (soon if board.to_move and board.to_move.robot else _NO_CLOCK_RUNS)


def remind_of_first_move(tick: Tick) -> str | Again:
    """Remind a player of a first move, and set the timer for the decline."""
    found = _waiting(tick)
    if not isinstance(found, tuple):
        return found
    board, player = found
    if not player.is_active:
        return Again(tick.now + REMINDED_AFTER, f"{player.handle} is {player.status}")
    calendar = calendar_of(tick.work, board, player, tick.now)
    later = tick.now + REMINDED_AFTER  # if no day of the player counts for years
    remind_at = calendar.after(tick.timer.since, REMINDED_AFTER) or later
    if tick.now < remind_at:
        return Again(remind_at, _COUNTS_LATER)
    by = calendar.after(tick.now, DECLINED_AFTER) or later
    whose: dict[str, Any] = {"board_id": board.id, "player_id": player.id}
    decline_at, about = by + ALL_KEPT, tick.timer.about
    if not tick.work.timers.set(TimerKind.FIRST_MOVE_DECLINE, about, tick.now, decline_at, **whose):
        return f"{player.handle} was reminded of board {board.id} before"
    remind(tick, player, Awaited(board, tick.timer.since, by, is_first=True))
    return f"reminded {player.handle} of board {board.id}"


def decline_first_move(tick: Tick) -> str | Again:
    """Close a board whose first move was not made."""
    found = _waiting(tick)
    if not isinstance(found, tuple):
        return found
    board, player = found
    if not player.is_active:
        request_first_move(tick.work, board, tick.now)
        return f"{player.handle} is {player.status}, so the time begins anew"
    calendar = calendar_of(tick.work, board, player, tick.now)
    by = calendar.after(tick.timer.since, DECLINED_AFTER) or tick.now + REMINDED_AFTER
    if tick.now < by + ALL_KEPT:
        return Again(by + ALL_KEPT, _COUNTS_LATER)
    if wait := tick.waits_for_mail(by):
        return wait
    events = decline_board(tick.work, board, player, tick.now, FirstMoveMissed)
    announce_several(tick, events)
    return f"declined board {board.id} for {player.handle}"


def _waiting(tick: Tick) -> tuple[Board, Player] | str | Again:
    """The board and the player who must move, or the outcome if the timer is obsolete."""
    board = tick.locked_board
    if board is not None and not board.is_installed:
        return Again(tick.now + REMINDED_AFTER, f"the game of board {board.id} is not installed")
    if board is None or board.awaited_first_move != tick.timer.about:
        return "the board has gone on"
    return board, tick.player
