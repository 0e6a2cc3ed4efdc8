"""`pbm-admin hold` and `release`: the server stops to work, and goes on.

After a restore the release gives up mails that the players have, or are told anew, and lets each
player be told where their boards stand.
"""

from dataclasses import dataclass
from datetime import datetime

from pbm.errors import OperatorError
from pbm.play.clocks.calendar import LISTENING, UNNOTICED
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.running.heartbeat import note_listening
from pbm.service.running.hold import Hold, begin_hold, hold_of
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import BoardStatus
from pbm.store.values.mails import Kind, OutboxMail, OutboxStatus
from pbm.store.values.queues import TimerKind

_AT_ONCE = 50  # mails in a transaction
_OF_BOARD = (Kind.BOARD, Kind.AWAITING)
_TOLD_ANEW = "the server was restored; a later mail tells of it"
_NOT_HELD = "The server is not held, so there is nothing to release. See: pbm-admin status"


@dataclass(frozen=True)
class Release:
    """What a release does: the numbers of boards in progress, and of mails."""

    hold: Hold
    clocks_since: datetime | None  # clocks get the time since then; None if they lose none
    boards: tuple[int, ...]  # that may have lost plies; none without a restore
    readers: int
    given_up: int
    sent_again: int


def hold(session: OperatorSession, why: str) -> None:
    """Hold the server. What has begun ends: turns, and mails that are on their way."""
    with session.act(why) as act:
        if known := hold_of(act.work):
            raise OperatorError(f"The server is {known}. To let it go on: pbm-admin release")
        begin_hold(act.work, act.now, act.who, act.why)
        act.note("hold")


def release(session: OperatorSession, *, sends_waiting: bool) -> Release:
    """End the hold.

    The mails of before a restore are given up first, some in each transaction, unless
    `sends_waiting`. If this is killed, the server is held still.
    """
    with session.look() as work:
        known, heard, now = hold_of(work), work.facts.find(LISTENING), session.clock()
        if known is None:
            raise OperatorError(_NOT_HELD)
        boards = work.boards.numbers(status=BoardStatus.PLAYING) if known.made else ()
        readers = len(work.players.who_play()) if known.made else 0
    since = heard.noted_at if heard and now - heard.noted_at > UNNOTICED else None
    given_up = sent_again = after = 0
    while known.made:
        with session.act(None) as act:
            mails = act.work.outbox.waiting_after(after, _AT_ONCE)
            told = [] if sends_waiting else [it.id for it in mails if _is_told_anew(act.work, it)]
            act.work.outbox.finish(told, OutboxStatus.DROPPED, act.now, _TOLD_ANEW)
        if not mails:
            break
        given_up, sent_again = given_up + len(told), sent_again + len(mails) - len(told)
        after = mails[-1].id
    _end(session)
    return Release(known, since, boards, readers, given_up, sent_again)


def _is_told_anew(work: UnitOfWork, mail: OutboxMail) -> bool:
    """Return whether a mail has only what the mail after the restore tells: how boards stand."""
    if mail.kind.treatment.is_superseded or mail.kind is Kind.REMINDERS:
        return True
    board = work.boards.find(mail.board_id or 0) if mail.kind in _OF_BOARD else None
    return bool(board and board.playing) and not (mail.params["lead"] or mail.params["comments"])


def _end(session: OperatorSession) -> None:
    with session.act(None) as act:
        known = hold_of(act.work, ends=True)
        if known is None:
            raise OperatorError(_NOT_HELD)
        note_listening(act.work, act.now, tells_dates=known.made is None)
        if known.made:
            act.work.timers.forget(TimerKind.RESTORED)  # of an earlier restore
            act.work.timers.set(TimerKind.RESTORED, "", act.now, act.now, since=known.made)
        act.note("release", held_since=f"{known.since:%F %H:%M} UTC")
