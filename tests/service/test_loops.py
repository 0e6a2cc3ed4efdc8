"""The loops, when the database goes away while they do what must not be forgotten."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any, NoReturn

import pytest
from sqlalchemy.exc import OperationalError

from pbm.commands.families.help import Help
from pbm.service import loops
from pbm.service.post.post import Composer, Post
from pbm.service.running.writer import Writer
from pbm.service.ticks.jobs import Ticks
from pbm.service.turns.inbox_worker import MOST_TRIES, InboxWorker, TurnFailedError
from pbm.store.db import UnitOfWork
from tests.serving import keep
from tests.table import SERVER, Table

MAIL = b"From: a@b.example\r\nMessage-ID: <1@b.example>\r\nSubject: help\r\n\r\n"
ROUNDS = 10_000  # of the event loop; it takes some hundred


class Away(InboxWorker):
    """The database is away when a failed turn is to be counted for the first time."""

    been_away = False

    def count_failed(self, work: UnitOfWork, failed: TurnFailedError) -> None:
        """Count it, but not the first time."""
        if not self.been_away:
            self.been_away = True
            raise OperationalError("UPDATE", {}, OSError("gone"))
        super().count_failed(work, failed)


async def in_thread(work: Callable[[], Any]) -> Any:
    return work()


def broken(*_: object) -> NoReturn:
    raise ZeroDivisionError("a planted bug")


def test_a_failed_turn_is_counted_when_the_database_is_back(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Help, "run", broken)
    monkeypatch.setattr(loops, "DATABASE_PAUSE", 0)
    keep(table, "a@b.example", (SERVER,), MAIL)
    turns = Away(table.database, table.site, table.clock)

    async def play() -> None:
        writer = Writer(table.database, in_thread)
        taker = loops.TurnTaker(turns, writer, 1, in_thread)
        loop = asyncio.create_task(loops.take_turns(taker, asyncio.Event()))
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
            if loop.done() or table.mail_kept(1).status == "stuck":
                break
        assert not loop.done()
        loop.cancel()

    asyncio.run(play())
    assert turns.been_away
    assert table.mail_kept(1).tries == MOST_TRIES


def test_turns_begin_when_the_database_is_there(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "DATABASE_PAUSE", 0)
    tries: list[bool] = []

    def begin(_: InboxWorker) -> None:
        tries.append(len(tries) == 2)
        if not tries[-1]:
            raise OperationalError("BEGIN", {}, OSError("gone"))

    monkeypatch.setattr(InboxWorker, "begin", begin)
    asyncio.run(loops.begin(table.turns.begin, in_thread))
    assert tries == [False, False, True]


class Bringing(Post):
    """The database is away when mails are to be brought forward for the first time."""

    asked = 0

    def bring_forward(self, work: UnitOfWork) -> None:
        """Bring them forward, but not the first time."""
        self.asked += 1
        if self.asked == 1:
            raise OperationalError("UPDATE", {}, OSError("gone"))
        super().bring_forward(work)


def test_mails_are_brought_forward_when_the_database_is_back(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "DATABASE_PAUSE", 0)
    post = Bringing(table.database, table.site, table.clock, None, Composer(SERVER))  # type: ignore[arg-type]

    async def play() -> None:
        writer = Writer(table.database, in_thread)
        sending = loops.send_post(post, in_thread, writer, asyncio.Event())
        loop = asyncio.create_task(sending)
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
            if loop.done() or post.asked == 2:
                break
        assert not loop.done()
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=True)

    asyncio.run(play())
    assert post.asked == 2


class AwayOnce(Ticks):
    """The database is away at the first look."""

    been_away = False

    def next_due_at(self) -> datetime | None:
        if not self.been_away:
            self.been_away = True
            raise OperationalError("SELECT", {}, OSError("gone"))
        return super().next_due_at()


def test_ticks_go_on_once_the_database_is_there(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "DATABASE_PAUSE", 0)
    table.ticks.begin()
    ticks = AwayOnce(table.database, table.site, table.clock)

    async def play() -> None:
        writer = Writer(table.database, in_thread)
        loop = asyncio.create_task(
            loops.keep_time(ticks, in_thread, writer, asyncio.Event(), most_together=1)
        )
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
            if loop.done() or (ticks.been_away and table.rows("due")[0]["due_at"] > table.clock()):
                break
        assert not loop.done()
        loop.cancel()

    asyncio.run(play())
    assert ticks.been_away
    assert table.rows("due")[0]["due_at"] > table.clock()
