"""The roles of a server around a table, as loops in this process, with a transport of a test's."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from email import message_from_bytes
from functools import cache
from typing import Any, Self

from sqlalchemy.exc import DBAPIError

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Sent
from pbm.service.post.post import Composer, Post, send_post
from pbm.service.running.writer import Writer
from pbm.service.ticks.jobs import keep_time
from pbm.service.turns.inbox_worker import take_turns
from tests.polling import PATIENCE
from tests.serving import keeping
from tests.table import Person, Table


class World:
    """Where mail goes: as a test says, for each mail."""

    def __init__(self) -> None:
        self.arrived: list[tuple[str, bytes]] = []
        self.tried: list[tuple[str, bytes]] = []
        self.answers: Callable[[str], Delivery] = lambda _: Sent()
        self.hangs_for: set[str] = set()
        self.may_go_on = asyncio.Event()

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:  # noqa: ARG002
        """Take a mail, or not."""
        self.tried.append((recipient, raw))
        if recipient in self.hangs_for:
            await self.may_go_on.wait()
        answer = self.answers(recipient)
        if isinstance(answer, Sent):
            self.arrived.append((recipient, raw))
        return answer

    async def close(self) -> None:
        """There is nothing to close."""

    def message_ids(self) -> list[str]:
        """Of what has arrived, in that order."""
        return [message_from_bytes(raw)["Message-ID"] for _, raw in self.arrived]


class Whole:
    """Turns and post in loops; mails are kept by `keep`."""

    def __init__(self, table: Table, world: World) -> None:
        self.table = table
        self.world = world
        self._kept, self._written, self._timer_set = (asyncio.Event() for _ in range(3))
        self._pools: list[ThreadPoolExecutor] = []
        self.writer = Writer(table.database, self._in_thread())
        self.read = self._in_thread()
        composer = _composer(table.site.address.plain)
        self.post = Post(table.database, table.site, table.clock, world, composer)
        self.tasks: list[asyncio.Task[None]] = []
        self._stack = AsyncExitStack()

    def _in_thread(self, name: str = "") -> Callable[[Callable[[], Any]], Any]:
        pool = ThreadPoolExecutor(1, name)
        self._pools.append(pool)

        async def run(work: Callable[[], Any]) -> Any:
            return await asyncio.get_running_loop().run_in_executor(pool, work)

        return run

    async def __aenter__(self) -> Self:
        mails = self._in_thread("mails")
        turns = take_turns(self.table.turns, self.writer, mails, self._kept, lambda: None)
        post = send_post(self.post, self.read, self.writer, self._written, lambda: None)
        ticks, read = self.table.ticks, self.read
        time = keep_time(ticks, read, self.writer, self._timer_set, lambda: None)
        self.tasks = [asyncio.create_task(role) for role in (turns, post, time)]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert not any(task.done() for task in self.tasks), "a role has ended"
        for task in self.tasks:
            task.cancel()
        await asyncio.wait(self.tasks)
        await self.writer.idle()
        for pool in self._pools:
            pool.shutdown()
        self.post.holds.close()

    async def keep(self, person: Person, subject: str, body: str, to: str) -> bool:
        """Hand a mail in; whether it was taken. What is in the way is the database."""
        raw = person.mail_bytes(subject, body, to=to)
        piece = keeping(self.table.intake, person.address, (to,), raw, Caller("127.0.0.1", ""))

        try:
            await self.writer.do(piece)
        except DBAPIError:
            return False
        self._kept.set()
        return True

    def wake(self) -> None:
        """Let the roles look for work."""
        self._kept.set()
        self._written.set()
        self._timer_set.set()

    async def until(self, look: Callable[[], object]) -> None:
        """Wait until something is so, waking whoever sleeps."""
        async with asyncio.timeout(PATIENCE):
            while not look():
                self.wake()
                await asyncio.sleep(0.01)


@cache
def _composer(from_address: str) -> Composer:
    """One for all: to read the templates takes longer than most tests."""
    return Composer(from_address)


def gone(_: str) -> Delivery:
    """What a smarthost answers that is not there."""
    return Deferred("No connection to the smarthost: Connection refused")
