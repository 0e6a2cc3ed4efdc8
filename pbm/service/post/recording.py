"""Records the outcomes of sending, in batches, and replaces outdated reminders.

Outcomes that arrive within `GATHER` seconds, or during a commit, share a transaction. A reminder
that could not be sent for an hour is dropped and rewritten: after a reminder a player always has a
full day left, so its dates have moved.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pbm.mail.smtp_out.delivery import Delivery, Sent
from pbm.play.clocks.waits import wait_of
from pbm.play.turn import Turn
from pbm.service.running.writer import Writer
from pbm.store.db import UnitOfWork
from pbm.store.sql.driver import is_away, lost_a_race
from pbm.store.values.mails import Kind, OutboxMail, OutboxStatus
from pbm.store.values.queues import TimerKind

ENOUGH = 32  # outcomes of a full batch
GATHER = 0.03  # seconds to wait for more outcomes; a crash meanwhile sends their mails twice
_TRUE_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class Outdated:
    """Outcome of a reminder that is not sent because its dates are no longer true."""


def is_outdated(mail: OutboxMail, now: datetime) -> bool:
    """Whether a mail is an old reminder of a clock; deadlines of first moves do not move."""
    return bool(_boards(mail)) and now - mail.written_at > _TRUE_FOR


def remind_anew(turn: Turn, mail: OutboxMail) -> None:
    """Drop a reminder, and make the clocks of its boards remind again at once."""
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
    """Numbers of the boards whose clocks this mail reminds of."""
    if mail.kind == Kind.REMINDER and mail.board_id:
        return [mail.board_id]
    return sorted(item["number"] for item in _reminded_boards(mail) if not item["is_first"])


def _reminded_boards(mail: OutboxMail) -> list[dict[str, Any]]:
    if mail.kind != Kind.REMINDERS:
        return []
    return [item for section in mail.params["sections"] for item in section.get("awaited", ())]


Outcome = tuple[OutboxMail, Delivery | Outdated]


class Recording:
    """Records delivery outcomes: those of sent mails in batches, each other one alone.

    Other outcomes lock players and boards; several in one transaction could deadlock.
    """

    def __init__(
        self,
        record: Callable[[UnitOfWork, Sequence[Outcome]], None],
        more_come: Callable[[], bool] = lambda: False,
    ) -> None:
        """`more_come` tells whether other mails are being sent, so that a batch may wait."""
        self._record = record
        self._more_come = more_come
        self._writing = asyncio.Lock()
        self._sent: list[Outcome] = []  # of the next batch
        self._batch: asyncio.Task[dict[int, Exception]] | None = None

    async def note(self, outcome: Outcome, writer: Writer) -> None:
        """Record an outcome and wait for its commit. Raises errors of `record` and DBAPIError."""
        if isinstance(outcome[1], Sent):
            self._sent.append(outcome)
            if self._batch is None:
                self._is_time = asyncio.Event()
                self._batch = asyncio.create_task(self._write_batch(writer))
            if len(self._sent) >= ENOUGH or not self._more_come():
                self._is_time.set()
            failed = await asyncio.shield(self._batch)
            if outcome[0].id in failed:
                raise failed[outcome[0].id]
        else:
            async with self._writing:
                await writer.do(partial(self._record_one, outcome))

    def _record_one(self, outcome: Outcome, work: UnitOfWork) -> None:
        self._record(work, [outcome])

    async def _write_batch(self, writer: Writer) -> dict[int, Exception]:
        """Record the batch; if it fails, each outcome alone. Returns the errors by mail number.

        Raises the error if the database is unreachable.
        """
        with suppress(TimeoutError):  # a full batch ends the wait early
            async with asyncio.timeout(GATHER):
                await self._is_time.wait()
        failed: dict[int, Exception] = {}
        async with self._writing:
            sent, self._sent, self._batch = self._sent, [], None
            try:
                await writer.do(lambda work: self._record(work, sent))
            except Exception as error:
                if is_away(error) and not lost_a_race(error):
                    raise
                for outcome in sent:  # also those whose callers were cancelled meanwhile
                    try:
                        await writer.do(partial(self._record_one, outcome))
                    except Exception as its_own:  # noqa: BLE001 - its caller raises it
                        failed[outcome[0].id] = its_own
        return failed
