"""The loops, when the database goes away while they do what must not be forgotten."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from pbm.commands.families.help import Help
from pbm.service.post.post import Composer, Post, send_post
from pbm.service.running import rounds
from pbm.service.running.writer import Writer, here
from pbm.service.ticks.jobs import Ticks, keep_time
from pbm.service.turns.inbox_worker import MOST_TRIES, InboxWorker, TurnFailedError, take_turns
from pbm.store.db import UnitOfWork
from pbm.store.queues.outbox import Outbox
from tests.serving import broken, keep
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


def run_until(look: Callable[[], bool], work: Coroutine[Any, Any, None]) -> None:
    """Run a loop until something is so; it must not end before."""

    async def scene() -> None:
        loop = asyncio.create_task(work)
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
            if loop.done() or look():
                break
        assert not loop.done()
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=True)

    asyncio.run(scene())


def test_a_failed_turn_is_counted_when_the_database_is_back(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Help, "run", broken)
    monkeypatch.setattr(rounds, "DATABASE_PAUSE", 0)
    keep(table, "a@b.example", (SERVER,), MAIL)
    turns = Away(table.database, table.site, table.clock)
    writer = Writer(table.database, here)
    loop = take_turns(turns, writer, here, asyncio.Event(), lambda: None)
    run_until(lambda: table.mail_kept(1).status == "stuck", loop)
    assert turns.been_away
    assert table.mail_kept(1).tries == MOST_TRIES


def test_turns_begin_when_the_database_is_there(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "DATABASE_PAUSE", 0)
    tries: list[bool] = []

    def begin(_: InboxWorker) -> None:
        tries.append(len(tries) == 2)
        if not tries[-1]:
            raise OperationalError("BEGIN", {}, OSError("gone"))

    monkeypatch.setattr(InboxWorker, "begin", begin)
    asyncio.run(rounds.until_done(partial(here, table.turns.begin), "nothing begins"))
    assert tries == [False, False, True]


def test_mails_are_brought_forward_when_the_database_is_back(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "DATABASE_PAUSE", 0)
    asked: list[datetime] = []

    def bring_forward(_: Outbox, now: datetime) -> None:
        """The database is away the first time."""
        asked.append(now)
        if len(asked) == 1:
            raise OperationalError("UPDATE", {}, OSError("gone"))

    monkeypatch.setattr(Outbox, "bring_forward", bring_forward)
    post = Post(table.database, table.site, table.clock, None, Composer(SERVER))  # type: ignore[arg-type]
    writer = Writer(table.database, here)
    loop = send_post(post, here, writer, asyncio.Event(), lambda: None)
    run_until(lambda: len(asked) == 2, loop)
    assert len(asked) == 2


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
    monkeypatch.setattr(rounds, "DATABASE_PAUSE", 0)
    table.ticks.begin()
    ticks = AwayOnce(table.database, table.site, table.clock)
    writer = Writer(table.database, here)
    loop = keep_time(ticks, here, writer, asyncio.Event(), lambda: None)
    run_until(lambda: table.rows("due")[0]["due_at"] > table.clock(), loop)
    assert ticks.been_away
    assert table.rows("due")[0]["due_at"] > table.clock()
