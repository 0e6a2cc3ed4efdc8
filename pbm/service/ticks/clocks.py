"""The clock of a board: who is to move is reminded, and forfeits where the time has run out."""

from datetime import datetime, timedelta

from pbm.events import BoardEnded
from pbm.events.board import ForfeitClaimable, PauseRunOut
from pbm.play.clocks.forfeits import forfeit
from pbm.play.clocks.pauses import keep, note_reminded, resume
from pbm.play.clocks.vacations import take_by_itself
from pbm.play.clocks.waits import (
    PAUSED_AT_MOST,
    Wait,
    first_look,
    stop_left,
    wait_of,
    warned_from,
)
from pbm.service.telling.announce import announce_boards
from pbm.service.ticks.reminders import SOON, WARNED_BEFORE, Awaited, remind
from pbm.service.ticks.several import announce_several
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.store.timers import ALL_KEPT
from pbm.store.values.boards import Board, Stop
from pbm.store.values.players import Player

_LOOK_AGAIN_AFTER = timedelta(hours=6)
_HEARD_LATE = timedelta(hours=1)  # after the end; a crowd of mails puts off nothing for ever
_NO_CLOCK_RUNS = timedelta(days=1)


def watch(tick: Tick) -> Done | Again:
    """Remind, let somebody forfeit, or look again when that may have to be done."""
    board = tick.work.boards.find(tick.timer.board_id or 0, lock=True)
    if board is None or not board.playing:
        return Done("the board is over")
    if not board.is_installed:
        return _without_game(tick, board)
    if board.paused_since:
        return _wait_out(tick, board, board.paused_since + PAUSED_AT_MOST)
    wait = wait_of(tick.work, board, tick.now)
    if wait is None:
        return Again(_look_without_clock(tick, board), f"no clock runs on board {board.id}")
    player = wait.player
    if wait.is_over and wait.ends_at is not None:
        return _run_out(tick, board, player, wait, wait.ends_at)
    passed, soon = wait.passed, wait.passed_by(tick.now + SOON)
    if passed > board.reminded:
        _remind(tick, board, player, wait, passed)
    elif soon < board.reminded:  # days that do not count any more have put reminders off
        tick.work.waits.note_reminded(board, soon)
    return Again(_next_look(tick, board, wait), f"looked at the clock of board {board.id}")


def _without_game(tick: Tick, board: Board) -> Again:
    """Give back the time in which nobody could move: since the last look, and up to the next."""
    until = tick.now + _NO_CLOCK_RUNS
    keep(tick.work, board, Stop(tick.timer.set_at, until))
    return Again(until, f"the game of board {board.id} is not installed")


def _wait_out(tick: Tick, board: Board, until: datetime) -> Again:
    """Leave a paused board alone until it has been so for as long as it may."""
    if tick.now < until:
        return Again(min(until, tick.now + _NO_CLOCK_RUNS), f"board {board.id} is paused")
    resume(tick.work, board, tick.now)
    announce_boards(tick, [PauseRunOut(board.id, PAUSED_AT_MOST.days)])
    return Again(_first_look(tick, board), f"the pause of board {board.id} has run out")


def _run_out(
    tick: Tick, board: Board, player: Player, wait: Wait, ends_at: datetime
) -> Done | Again:
    """Let a player forfeit whom a reminder has reached in time.

    What comes after the end, and before this, counts as well.
    """
    waiting = tick.waits_for_mail(min(tick.now, ends_at + _HEARD_LATE))
    if waiting is not None:
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
    if not _was_warned(tick, board, player, since):
        if not tick.work.reminders.is_under_way(player.id, board.id, since):
            if board.reminded >= len(wait.reminders) and not stop_left(board, player.id):
                return _let_others_claim(tick, board, player, wait)
            _remind(tick, board, player, wait, len(wait.reminders))
        return Again(tick.now + _LOOK_AGAIN_AFTER, f"no reminder has reached {player.handle} yet")
    events = forfeit(tick.work, board, player, tick.now)
    announce_several(tick, events)
    done = f"{player.handle} has forfeited board {board.id}"
    if any(isinstance(event, BoardEnded) and event.board_id == board.id for event in events):
        return Done(done)
    return Again(_first_look(tick, board), done)


def _let_others_claim(tick: Tick, board: Board, player: Player, wait: Wait) -> Again:
    """Tell the others once that they may end the wait for somebody whom no reminder reaches."""
    told = len(wait.reminders) + 1
    if board.reminded < told:
        tick.work.waits.note_reminded(board, told)
        announce_several(tick, [ForfeitClaimable(board.id, player.handle)], but=player.id)
    return Again(tick.now + _NO_CLOCK_RUNS, f"others may claim that {player.handle} forfeits")


def _was_warned(tick: Tick, board: Board, player: Player, since: datetime) -> bool:
    until = tick.now - WARNED_BEFORE
    return tick.work.reminders.was_taken(player.id, board.id, since, until)


def _remind(tick: Tick, board: Board, player: Player, wait: Wait, times: int) -> None:
    by = note_reminded(tick.work, board, times, tick.now) or tick.now + WARNED_BEFORE
    remind(tick, player, Awaited(tick.work.boards.get(board.id), wait.since, by))


def _next_look(tick: Tick, board: Board, wait: Wait) -> datetime:
    """When the next reminder, or the end, may be due, or the first of the next player's wait."""
    another = tick.now + first_look(board)
    return max(min(wait.coming or another, another), tick.now + ALL_KEPT)


def _first_look(tick: Tick, board: Board) -> datetime:
    """When whoever is to move now may have to be reminded."""
    wait = wait_of(tick.work, tick.work.boards.get(board.id), tick.now)
    return _next_look(tick, board, wait) if wait else _look_without_clock(tick, board)


def _look_without_clock(tick: Tick, board: Board) -> datetime:
    """When a clock may have to be looked at that does not run now; after a robot's move it will
    soon, and nothing tells of that."""
    soon = min(_NO_CLOCK_RUNS, first_look(board))
    return tick.now + (soon if board.to_move and board.to_move.robot else _NO_CLOCK_RUNS)
