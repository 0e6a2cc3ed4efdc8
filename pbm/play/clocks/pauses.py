"""When no clock runs on a board: a pause on which all agreed, and what is kept of a stop."""

from dataclasses import replace
from datetime import datetime

from pbm.errors import Refusal
from pbm.play.clocks.waits import (
    PAUSED_AT_MOST,
    look_at_first_moves,
    look_in_time,
    stopped_until,
)
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Stop
from pbm.store.values.players import Player


def check_pause(board: Board) -> None:
    """Raise Refusal where a board cannot be paused: it is so already, or no clock runs yet."""
    if board.paused_since:
        raise Refusal("paused-already", number=board.id)
    if board.awaited_first_move:
        raise Refusal("too-early-to-pause", number=board.id)


def check_resume(board: Board) -> None:
    """Raise Refusal where there is no pause to end."""
    if not board.paused_since:
        raise Refusal("not-paused", number=board.id)


def pause(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Stop the clocks of a board. A move that is made meanwhile does not start them again."""
    return work.waits.set(board, paused_since=board.paused_since or now)


def resume(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Let the clocks of a board run again; the time of the pause does not count."""
    since = board.paused_since
    if since is None:
        return board
    stop = Stop(since, min(now, since + PAUSED_AT_MOST))
    board = work.waits.set(keep(work, board, stop), paused_since=None)
    look_in_time(work, board, now)
    return board


def keep_stop(work: UnitOfWork, player: Player, now: datetime) -> None:
    """Keep in mind how long clocks have stood still for a player to whom mail arrives again."""
    since = player.unreachable_since
    if since is not None:
        give_back(work, player, since, now, bounced=True)


def give_back(
    work: UnitOfWork, player: Player, since: datetime, now: datetime, *, bounced: bool = False
) -> None:
    """Let time count nowhere in which a player could not play, or not be reached.

    What was sent meanwhile has reminded nobody, so that reminders begin anew, for whom the time
    was over by then as well.
    """
    for number in work.boards.to_move(player.id):
        board = work.boards.get(number, lock=True)
        if board.is_installed:
            until = min(now, stopped_until(board, since)) if bounced else now
            board = keep(work, board, Stop(since, until, bounced))
            stops = (*board.stops, Stop(now, now))  # from here on there can be a warning
            board = work.waits.set(board, stops=stops, reminded=0)
            look_in_time(work, board, now)
            look_at_first_moves(work, [board], now)


def keep(work: UnitOfWork, board: Board, stop: Stop) -> Board:
    """Note a time that counts for nobody, as far as it is of the present wait."""
    begin, before = max(stop.begin, board.waits_since or stop.begin), board.stops
    if begin >= stop.end:
        return board
    last = before[-1] if before else None
    if last and last.begin <= begin <= last.end and last.bounced == stop.bounced:
        begin, before = last.begin, before[:-1]  # it goes on
    return work.waits.set(board, stops=(*before, replace(stop, begin=begin)))
