"""Records the outcomes of sending, in batches, and replaces outdated reminders.

Outcomes that come while a commit is under way, or shortly after one another, share a transaction. A
reminder that could not be sent for an hour is dropped and rewritten with the clock's current dates,
since a player's time never ends within a day of the reminder.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbm.mail.smtp_out.delivery import Delivery, Sent
from pbm.play.clocks.waits import wait_of
from pbm.play.turn import Turn
from pbm.service.running.writer import Writer
from pbm.store.db import UnitOfWork
from pbm.store.sql.driver import is_away, lost_a_race
from pbm.store.values.mails import Kind, OutboxMail, OutboxStatus
from pbm.store.values.queues import TimerKind

MOST_TOGETHER = 64
ENOUGH = 32  # outcomes that end the wait; as many mails may be under way meanwhile
GATHER = 0.03  # seconds to wait for more; after a crash, mails without outcome are sent again
_TRUE_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class Outdated:
    """The outcome of a reminder that is not sent because its dates are no longer true."""


def is_outdated(mail: OutboxMail, now: datetime) -> bool:
    """Whether a mail is an old reminder of a clock. Deadlines of first moves don't change."""
    return bool(_boards(mail)) and now - mail.written_at > _TRUE_FOR


def remind_anew(turn: Turn, mail: OutboxMail) -> None:
    """Drop a reminder, and make its boards' clocks remind at once."""
    work = turn.work
    boards = [work.boards.get(number, lock=True) for number in _boards(mail)]
    waiting = [
        board
        for board in boards
        if board.to_move is not None and board.to_move.player_id == mail.player_id
    ]
    if not waiting and any(item["is_first"] for item in _reminded_boards(mail)):
        work.outbox.change(mail.id, written_at=turn.now)
        return
    work.outbox.finish([mail.id], OutboxStatus.DROPPED, turn.now, "its dates are not true any more")
    for board in waiting:
        wait = wait_of(work, board, turn.now)
        if wait and not wait.is_over:
            work.boards.set(board, reminded=0)
    abouts = [str(board.id) for board in waiting]
    work.timers.advance(TimerKind.CLOCK, abouts, turn.now, turn.now)


def _boards(mail: OutboxMail) -> list[int]:
    """The boards whose clocks a mail reminds of."""
    if mail.kind == Kind.REMINDER and mail.board_id:
        return [mail.board_id]
    return sorted(item["number"] for item in _reminded_boards(mail) if not item["is_first"])


def _reminded_boards(mail: OutboxMail) -> list[dict[str, Any]]:
    if mail.kind != Kind.REMINDERS:
        return []
    return [item for section in mail.params["sections"] for item in section.get("awaited", ())]


Outcome = tuple[OutboxMail, Delivery | Outdated]
_Noted = tuple[Outcome, asyncio.Future[None]]


class Recording:
    """Records outcomes in batches.

    Sent mails share a transaction, since no other process touches their rows. Each other outcome
    may lock players and boards, so it has a transaction of its own, to exclude deadlocks.
    """

    def __init__(
        self,
        record: Callable[[UnitOfWork, Sequence[Outcome]], None],
        more_come: Callable[[], bool] = lambda: False,
    ) -> None:
        """`more_come`: whether other mails are being sent."""
        self._record = record
        self._more_come = more_come
        self._noted: list[_Noted] = []
        self._writing: asyncio.Task[None] | None = None

    async def note(self, outcome: Outcome, writer: Writer) -> None:
        """Record an outcome and wait for the commit. Raises errors of `record` and the database."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._noted.append((outcome, done))
        if self._writing is None:
            self._is_time = asyncio.Event()
            self._writing = asyncio.create_task(self._write_all(writer))
        if len(self._noted) >= ENOUGH or not self._more_come():
            self._is_time.set()
        await done

    async def _write_all(self, writer: Writer) -> None:
        try:
            while self._noted:
                with suppress(TimeoutError):  # wait briefly for more outcomes
                    async with asyncio.timeout(GATHER):
                        await self._is_time.wait()
                self._is_time.clear()
                noted, self._noted = self._noted[:MOST_TOGETHER], self._noted[MOST_TOGETHER:]
                sent = [each for each in noted if isinstance(each[0][1], Sent)]
                if sent:
                    await self._write(sent, writer)
                for each in noted:
                    if each not in sent:
                        await self._write([each], writer)
        finally:
            self._writing = None

    async def _write(self, together: Sequence[_Noted], writer: Writer) -> None:
        outcomes, failed = [outcome for outcome, _ in together], None
        try:
            await writer.do(lambda work: self._record(work, outcomes))
        except Exception as error:  # noqa: BLE001 - whoever waits hears of it
            if len(together) > 1 and (lost_a_race(error) or not is_away(error)):
                for each in together:
                    await self._write([each], writer)
                return
            failed = error
        for _, done in together:
            if done.done():
                continue  # its caller was cancelled
            if failed is None:
                done.set_result(None)
            else:
                done.set_exception(failed)
