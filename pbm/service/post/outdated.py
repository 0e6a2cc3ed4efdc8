"""Reminders that could not be sent for so long that their dates are not true any more.

The time for a move never ends before a reminder was taken a day ago. So while the next server was
down the end has come to be later than the reminder says: it is given up, and written anew.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbm.play.clocks.waits import wait_of
from pbm.play.turn import Turn
from pbm.store.values.boards import Board
from pbm.store.values.kinds import Kind
from pbm.store.values.mails import OutboxMail
from pbm.store.values.queues import TimerKind

_TRUE_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class Outdated:
    """What comes of such a reminder instead of being sent."""


def is_outdated(mail: OutboxMail, now: datetime) -> bool:
    """Whether a mail reminds of a clock, and was written long ago. A first move's end stays."""
    return bool(_boards(mail)) and now - mail.written_at > _TRUE_FOR


def remind_anew(turn: Turn, mail: OutboxMail) -> None:
    """Give a reminder up, and let the clocks of its boards remind anew, and at once."""
    work = turn.work
    boards = [work.boards.get(number, lock=True) for number in _boards(mail)]
    waiting = [board for board in boards if _waits_for(board, mail.player_id)]
    if not waiting and _of_first_moves(mail):
        work.outbox.write_later(mail.id, turn.now)
        return
    work.outbox.finish([mail.id], "dropped", turn.now, "its dates are not true any more")
    for board in waiting:
        wait = wait_of(work, board, turn.now)
        if wait and not wait.is_over:
            work.waits.note_reminded(board, 0)
    abouts = [str(board.id) for board in waiting]
    work.timers.advance(TimerKind.CLOCK, abouts, turn.now, turn.now)


def _boards(mail: OutboxMail) -> list[int]:
    """The boards of whose clocks it reminds."""
    if mail.kind == Kind.REMINDER and mail.board_id:
        return [mail.board_id]
    return sorted(item["number"] for item in _awaited(mail) if not item["is_first"])


def _of_first_moves(mail: OutboxMail) -> bool:
    return any(item["is_first"] for item in _awaited(mail))


def _awaited(mail: OutboxMail) -> list[dict[str, Any]]:
    if mail.kind != Kind.REMINDERS:
        return []
    return [item for section in mail.params["sections"] for item in section.get("awaited", ())]


def _waits_for(board: Board, player_id: int | None) -> bool:
    return board.to_move is not None and board.to_move.player_id == player_id
