"""Time that a player gives to the others."""

from datetime import datetime, timedelta

from pbm.errors import Refusal
from pbm.events.board import TimeGiven
from pbm.play.clocks.waits import look_in_time, terms_of, wait_of
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Seat
from pbm.store.values.players import Player

SHORTEST, LONGEST = timedelta(hours=1), timedelta(days=30)  # of one gift
MOST = timedelta(days=365)  # that anybody has been given at a time


def give_time(
    work: UnitOfWork, board: Board, giver: Player, time: timedelta, now: datetime
) -> TimeGiven:
    """Give whoever is to move more time, and where time is counted for all moves, all the others.

    Raises Refusal where it is the giver's own move, or there is enough of it.
    """
    terms, mover = terms_of(board), board.to_move
    others = [item for item in board.seats if item.player_id in board.still_in]
    others = [item for item in others if item.player_id != giver.id]
    waits = mover is not None and mover.player_id != giver.id and not board.awaited_first_move
    waits = waits and not (mover and mover.robot)
    if not waits and not terms.counts_used:
        raise Refusal("no-clock-runs", number=board.id, own=mover in board.seats_of(giver.id))
    seconds = int(time.total_seconds())
    if waits:
        _check(board, timedelta(seconds=board.given + seconds))
        board = work.waits.set(board, given=board.given + seconds)
    for seat in others if terms.counts_used else ():
        _check(board, timedelta(seconds=seconds - seat.used))
        _give(work, board, seat, seconds, terms.bank)
    _remind_anew(work, board.id, now)
    given_to = others if terms.counts_used else [mover] if mover else []
    handles = dict.fromkeys(item.handle for item in given_to)
    return TimeGiven(board.id, giver.handle, tuple(handles), seconds)


def _check(board: Board, given: timedelta) -> None:
    if given > MOST:
        raise Refusal("enough-given", number=board.id, most=int(MOST.total_seconds()))


def _give(work: UnitOfWork, board: Board, seat: Seat, seconds: int, bank: int | None) -> None:
    banked = None
    if bank is not None:
        banked = seconds + (bank if seat.banked is None else seat.banked)
    work.waits.set_used(board, seat.seat, seat.used - seconds, banked)


def _remind_anew(work: UnitOfWork, number: int, now: datetime) -> None:
    """Let reminders come that are still to come now."""
    board = work.boards.get(number)
    wait = wait_of(work, board, now)
    if wait is not None:
        work.waits.note_reminded(board, min(board.reminded, wait.passed))
        look_in_time(work, board, now)
