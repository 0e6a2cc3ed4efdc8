"""Who may write to whom."""

from datetime import datetime

from pbm.errors import Refusal
from pbm.play.limits import MESSAGES, MESSAGES_TO, THREAD_OPEN
from pbm.rules.sides import partners
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player, PlayerStatus

_MOST_SHARED = 300  # boards in progress of the same two players


def check_open(board: Board, now: datetime) -> None:
    """Raise Refusal if a board has been over for so long that no words go there."""
    if not board.playing and board.changed_at < now - THREAD_OPEN:
        raise Refusal("thread-over", number=board.id, days=THREAD_OPEN.days)


def check_message(work: UnitOfWork, by: Player, to: Player, now: datetime) -> None:
    """Raise Refusal if a player may not write to another one in a mail about no board.

    Partners may not while they play, as their opponents would not read it.
    """
    _check_reader(work, by, to)
    if to.handle in work.blocks.handles_of(by.id):
        raise Refusal("message-blocked", handle=to.handle)
    playing = work.boards.played_by_both(by.id, to.id, most=_MOST_SHARED)
    for board in work.boards.get_many(playing):
        if _are_partners(board, by.id, to.id):
            raise Refusal("message-partner", handle=to.handle, number=board.id)
    for rate, whose in ((MESSAGES_TO, (by.id, to.id)), (MESSAGES, (by.id,))):
        if not rate.take(work, now, *whose):
            raise Refusal("too-many-messages", most=rate.most)
    if work.kept_notices.is_full(to.id):
        raise Refusal("has-many-mails", handle=to.handle)


def _check_reader(work: UnitOfWork, by: Player, to: Player) -> None:
    """Raise Refusal if a player knows another one from no board, or if that one reads no mail."""
    if to.id == by.id:
        raise Refusal("message-yourself")
    if to.robot:
        raise Refusal("message-robot", handle=to.handle)
    if not work.boards.have_met(by.id, to.id):
        raise Refusal("message-stranger", handle=to.handle)
    if to.status == PlayerStatus.REMOVED:
        raise Refusal("has-left", handle=to.handle)
    if not (to.is_active and to.addresses):
        raise Refusal("message-unread", handle=to.handle)


def _are_partners(board: Board, one: int, other: int) -> bool:
    if len(board.seats) <= 2 or not board.is_installed:
        return False
    return any(
        board.seats[partner - 1].player_id == other
        for seat in board.seats_of(one)
        for partner in partners(board.position, seat.seat)
    )
