"""A first move that is not made: the reminder, and five days later the decline."""

from datetime import datetime
from typing import Any

from pbm.events.board import FirstMoveMissed
from pbm.play.clocks.waits import calendar_of
from pbm.play.decline import decline_board
from pbm.play.first_moves import DECLINED_AFTER, REMINDED_AFTER, await_first_move, still_waits
from pbm.service.ticks import reminders
from pbm.service.ticks.reminders import Awaited
from pbm.service.ticks.several import announce_several
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.store.timers import ALL_KEPT
from pbm.store.values.boards import Board
from pbm.store.values.players import Player
from pbm.store.values.timers import TimerKind

_GONE_ON = Done("the board has gone on")
_COUNTS_LATER = "not all of the time meanwhile counts"


def remind(tick: Tick) -> Done | Again:
    """Write to a player whose first move a board waits for, and set the decline."""
    found = _waiting(tick)
    if not isinstance(found, tuple):
        return found
    board, player = found
    if player.status != "active":
        return Again(tick.now + REMINDED_AFTER, f"{player.handle} is {player.status}")
    calendar = calendar_of(tick.work, board, player, tick.now)
    remind_at = calendar.after(tick.timer.since, REMINDED_AFTER) or _later(tick)
    if tick.now < remind_at:
        return Again(remind_at, _COUNTS_LATER)
    by = calendar.after(tick.now, DECLINED_AFTER) or _later(tick)
    whose: dict[str, Any] = {"board_id": board.id, "player_id": player.id}
    decline_at, about = by + ALL_KEPT, tick.timer.about
    if not tick.work.timers.set(TimerKind.FIRST_MOVE_DECLINE, about, tick.now, decline_at, **whose):
        return Done(f"{player.handle} was reminded of board {board.id} before")
    reminders.remind(tick, player, Awaited(board, tick.timer.since, by, is_first=True))
    return Done(f"reminded {player.handle} of board {board.id}")


def decline(tick: Tick) -> Done | Again:
    """Close a board for a player who has not made the first move, and tell everybody there."""
    found = _waiting(tick)
    if not isinstance(found, tuple):
        return found
    board, player = found
    if player.status != "active":
        await_first_move(tick.work, board, tick.now)
        return Done(f"{player.handle} is {player.status}, so the time begins anew")
    calendar = calendar_of(tick.work, board, player, tick.now)
    by = calendar.after(tick.timer.since, DECLINED_AFTER) or _later(tick)
    if tick.now < by + ALL_KEPT:
        return Again(by + ALL_KEPT, _COUNTS_LATER)
    wait = tick.waits_for_mail(by)
    if wait is not None:
        return wait
    events = decline_board(tick.work, board, player, tick.now, FirstMoveMissed)
    announce_several(tick, events)
    return Done(f"declined board {board.id} for {player.handle}")


def _later(tick: Tick) -> datetime:
    """To look again where a player's days do not count for years."""
    return tick.now + REMINDED_AFTER


def _waiting(tick: Tick) -> tuple[Board, Player] | Done | Again:
    """The board and the player, if it still waits for that first move; else what comes of it."""
    timer = tick.timer
    board = tick.work.boards.find(timer.board_id or 0, lock=True)
    if board is None:
        return _GONE_ON
    if not board.is_installed:
        return Again(tick.now + REMINDED_AFTER, f"the game of board {board.id} is not installed")
    if not still_waits(board, timer):
        return _GONE_ON
    return board, tick.work.players.get(timer.player_id or 0)
