"""A mail waits for a robot: the real loops of the post and of the robots, on a clock that stands.

What comes in time is one mail, and what comes late is two.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from pbm.mail.smtp_out.delivery import Sent
from pbm.service.post.post import Composer, DueMails, Post, send_post
from pbm.service.robots.jobs import RobotWorker
from pbm.service.robots.worker_processes import Computation, WorkerProcesses
from pbm.service.running.writer import Writer, here
from tests.polling import PATIENCE
from tests.table import SERVER, Mail, Table

WAITS = 5.0  # seconds, at this table


class SlowMinds(WorkerProcesses):
    """One that thinks until it is let go on."""

    def __init__(self) -> None:
        super().__init__(1)
        self.thinks, self.may_go_on = asyncio.Event(), asyncio.Event()

    async def run(self, computation: Computation) -> Any:
        """Return the answer, as soon as it may."""
        self.thinks.set()
        await self.may_go_on.wait()
        return computation()


@dataclass
class NextServer:
    """What it was sent."""

    mails: list[Mail] = field(default_factory=list)

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Sent:  # noqa: ARG002
        """Take a mail."""
        self.mails.append(Mail(raw, envelope_sender))
        return Sent()

    async def close(self) -> None:
        """Nothing is open."""


class CountingPost(Post):
    """The post, whose looks are counted."""

    looks = 0

    async def look(self, here: Any) -> DueMails:
        """Look, and count it."""
        found = await super().look(here)
        self.looks += 1
        return found


@dataclass
class Loops:
    """Both loops under way, as in the one process of a small server."""

    table: Table
    minds: SlowMinds
    post: CountingPost
    sent: list[Mail]
    mail_written: asyncio.Event

    async def have_looked(self) -> None:
        """Let the post look for what is due now; one look may be on its way already."""
        for _ in range(2):
            before = self.post.looks
            self.mail_written.set()
            await becomes(lambda before=before: self.post.looks > before)


@pytest.fixture
def table(embedded: Table) -> Table:
    """A board on which pebble has been moved against."""
    embedded.robots_join()
    alice = embedded.joins("alice")
    alice.says("challenge pebble").says("a1-c3,b2\n\nHello!")
    return embedded


def play(table: Table, do: Callable[[Loops], Awaitable[None]]) -> None:
    """Do something while both loops run."""

    async def run() -> None:
        server, minds, written = NextServer(), SlowMinds(), asyncio.Event()
        writer, composer = Writer(table.database, here), Composer(SERVER)
        post = CountingPost(table.database, table.site, table.clock, server, composer)
        worker = RobotWorker(table.robots, minds, writer, here, asyncio.Event())
        loops = [
            asyncio.create_task(send_post(post, here, writer, written, lambda: None)),
            asyncio.create_task(worker.run(lambda: None)),
        ]
        await asyncio.wait_for(minds.thinks.wait(), PATIENCE)
        await do(Loops(table, minds, post, server.mails, written))
        for loop in loops:
            loop.cancel()
        await asyncio.gather(*loops, return_exceptions=True)
        minds.close()

    asyncio.run(run())


async def becomes(look: Callable[[], object]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not look():
            await asyncio.sleep(0.01)


def test_what_comes_in_time_is_one_mail(table: Table) -> None:
    async def do(loops: Loops) -> None:
        await loops.have_looked()
        table.clock.passes(seconds=WAITS - 1)
        await loops.have_looked()
        assert not loops.sent
        loops.minds.may_go_on.set()
        await becomes(lambda: loops.sent)
        table.clock.passes(seconds=WAITS)
        await loops.have_looked()
        (both,) = loops.sent
        for told in (
            "pebble moved: your turn on board 1",
            "You played a1-c3,b2.",
            "pebble played",
            "| Hello!",
        ):
            assert told in both.text

    play(table, do)


def test_what_comes_late_is_two(table: Table) -> None:
    async def do(loops: Loops) -> None:
        table.clock.passes(seconds=WAITS)
        loops.mail_written.set()
        await becomes(lambda: loops.sent)
        loops.minds.may_go_on.set()
        await becomes(lambda: len(loops.sent) > 1)
        receipt, answer = loops.sent
        assert "pebble's move on board 1; nothing to do." in receipt.text
        assert "| Hello!" in receipt.text
        assert "pebble moved: your turn on board 1" in answer.text
        assert "Hello" not in answer.text

    play(table, do)
