"""The clock of a board: who is to move is reminded, and forfeits where the time has run out."""

from datetime import datetime, timedelta

from pbm.play.clocks.vacations import take_by_itself
from pbm.play.clocks.waits import Wait, wait_of
from pbm.play.leave import leave_board
from pbm.service.ticks.reminders import WARNED_BEFORE, Awaited, remind
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.service.turns.announce import announce_boards
from pbm.store.timers import ALL_KEPT
from pbm.store.values import Board, Player

_LOOK_AGAIN_AFTER = timedelta(hours=6)
_NO_CLOCK_RUNS = timedelta(days=1)


def watch(tick: Tick) -> Done | Again:
    """Remind, let somebody forfeit, or look again when that may have to be done."""
    board = tick.work.boards.find(tick.timer.board_id or 0, lock=True)
    if board is None or not board.playing:
        return Done("the board is over")
    if not board.is_installed:
        return Again(tick.now + _NO_CLOCK_RUNS, f"the game of board {board.id} is not installed")
    wait, seat = wait_of(tick.work, board, tick.now), board.to_move
    if wait is None or seat is None:
        return Again(tick.now + _NO_CLOCK_RUNS, f"no clock runs on board {board.id}")
    player = tick.work.players.get(seat.player_id)
    if wait.is_over and wait.ends_at is not None:
        return _run_out(tick, board, player, wait, wait.ends_at)
    passed = sum(after <= wait.elapsed for after in wait.reminders)
    if passed > board.reminded:
        _remind(tick, board, player, wait, passed)
    return Again(_next_look(tick, wait, passed), f"looked at the clock of board {board.id}")


def _run_out(
    tick: Tick, board: Board, player: Player, wait: Wait, ends_at: datetime
) -> Done | Again:
    """Let a player forfeit whom a reminder has reached in time."""
    waiting = tick.waits_for_mail(ends_at)
    if waiting is not None:
        return waiting
    if tick.now < ends_at + ALL_KEPT:
        return Again(ends_at + ALL_KEPT, "mail of the last minute may not be kept yet")
    taken = take_by_itself(tick.work, board, player, tick.now)
    if taken is not None:
        announce_boards(tick, [taken])
        return Again(_first_look(tick, board), f"took vacation for {player.handle}")
    if not _was_warned(tick, board, player, wait):
        if not tick.work.outbox.reminder_waits(player.id, board.id, wait.since):
            _remind(tick, board, player, wait, len(wait.reminders))
        return Again(tick.now + _LOOK_AGAIN_AFTER, f"no reminder has reached {player.handle} yet")
    announce_boards(tick, leave_board(tick.work, board, player, "forfeited", tick.now))
    if tick.work.boards.get(board.id).playing:
        return Again(_first_look(tick, board), f"{player.handle} has forfeited board {board.id}")
    return Done(f"{player.handle} has forfeited board {board.id}")


def _was_warned(tick: Tick, board: Board, player: Player, wait: Wait) -> bool:
    until = tick.now - WARNED_BEFORE
    return tick.work.outbox.was_reminded(player.id, board.id, wait.since, until)


def _remind(tick: Tick, board: Board, player: Player, wait: Wait, times: int) -> None:
    tick.work.boards.note_reminded(board, times)
    by = max(wait.ends_at or tick.now, tick.now + WARNED_BEFORE)
    remind(tick, player, Awaited(board, wait.since, by))


def _next_look(tick: Tick, wait: Wait, passed: int) -> datetime:
    """When the next reminder, or the end, may be due, or the first of the next player's wait."""
    coming = wait.when((*wait.reminders, wait.allowed)[passed])
    another = tick.now + min(wait.reminders)
    return max(min(coming or another, another), tick.now + ALL_KEPT)


def _first_look(tick: Tick, board: Board) -> datetime:
    """When whoever is to move now may have to be reminded."""
    wait = wait_of(tick.work, tick.work.boards.get(board.id), tick.now)
    return _next_look(tick, wait, 0) if wait else tick.now + _NO_CLOCK_RUNS
