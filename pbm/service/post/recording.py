"""What became of mails, written down together: what comes while a commit is under way shares the
next, and so does what comes a moment later, while other mails are being sent."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from pbm.mail.smtp_out.delivery import Delivery, Sent
from pbm.service.post.outdated import Outdated
from pbm.service.running.writer import Writer
from pbm.store.db import UnitOfWork
from pbm.store.sql.errors import is_away, lost_a_race
from pbm.store.values.mails import OutboxMail

MOST_TOGETHER = 64
ENOUGH = 32  # for which no more are waited for; as many again can be under way meanwhile
GATHER = 0.03  # seconds at most; what a process that dies has not recorded is sent again
Outcome = tuple[OutboxMail, Delivery | Outdated]
_Noted = tuple[Outcome, asyncio.Future[None]]


class Recording:
    """Writes down what became of mails.

    Mails that were sent share a transaction: nobody else touches their rows. The others may lock
    players and boards, so each has one of its own, and waits for nobody who waits for it.
    """

    def __init__(
        self,
        record: Callable[[UnitOfWork, Sequence[Outcome]], None],
        more_come: Callable[[], bool] = lambda: False,
    ) -> None:
        """`more_come`: whether other mails are being sent, whose outcomes come next."""
        self._record = record
        self._more_come = more_come
        self._noted: list[_Noted] = []
        self._writing: asyncio.Task[None] | None = None

    async def note(self, outcome: Outcome, writer: Writer) -> None:
        """Write an outcome down; it is committed when this returns.

        Raises what the record of this outcome raises, or what the database does.
        """
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
                await self._gather()
                for together in self._next_ones():
                    await self._write(together, writer)
        finally:
            self._writing = None

    async def _gather(self) -> None:
        """Wait for what comes next, but not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHER):
                await self._is_time.wait()
        self._is_time.clear()

    def _next_ones(self) -> list[list[_Noted]]:
        """What is noted by now, as it goes together."""
        noted, self._noted = self._noted[:MOST_TOGETHER], self._noted[MOST_TOGETHER:]
        sent = [each for each in noted if isinstance(each[0][1], Sent)]
        return [*([sent] if sent else []), *([each] for each in noted if each not in sent)]

    async def _write(self, together: Sequence[_Noted], writer: Writer) -> None:
        outcomes = [outcome for outcome, _ in together]
        try:
            await writer.do(lambda work: self._record(work, outcomes))
        except Exception as error:  # noqa: BLE001 - whoever waits hears of it
            if len(together) > 1 and (lost_a_race(error) or not is_away(error)):
                for each in together:
                    await self._write([each], writer)
                return
            for done in _awaited(together):
                done.set_exception(error)
        else:
            for done in _awaited(together):
                done.set_result(None)


def _awaited(together: Sequence[_Noted]) -> list[asyncio.Future[None]]:
    """What somebody still waits for; whoever has left hears nothing."""
    return [done for _, done in together if not done.done()]
