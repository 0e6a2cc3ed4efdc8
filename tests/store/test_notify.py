"""Workers are notified after a commit, or find the row when they look again."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from pbm.service.running import rounds
from pbm.service.running.writer import Writer, here
from pbm.store.channels import Channel
from pbm.store.db import Database, UnitOfWork
from pbm.store.processes import notify
from pbm.store.processes.notify import Notifier
from pbm.store.values.mails import ArrivedMail
from tests.polling import PATIENCE

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MANY = 40
_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def keep(number: int) -> Callable[[UnitOfWork], object]:
    """A piece of work that keeps a mail."""
    mail = ArrivedMail(str(number), "r", "s", "p", b"raw", NOW, timedelta(hours=1))
    return lambda work: work.inbox.keep(mail)


def keep_unnotified(url: str) -> None:
    """Commit as a process does that dies before it notifies."""
    database = Database(url)
    with database.transaction() as work:
        keep(0)(work)
    database.close()


async def seen(look: Callable[[], object]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(PATIENCE):
        while not look():
            await asyncio.sleep(0.005)


class Process:
    """A process with a worker, idle until its event is set or it is time to look again."""

    def __init__(self, url: str) -> None:
        self.event = asyncio.Event()
        self.database = Database(url)
        self.notifier = Notifier(self.database, {Channel.MAIL_KEPT: self.event})
        self.woken = 0
        self.found: list[int] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "Process":
        self._tasks = [asyncio.create_task(it) for it in (self.notifier.listen(), self._idle())]
        await seen(lambda: self.woken)  # it listens
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await self.notifier.close()
        self.database.close()

    async def _idle(self) -> None:
        while True:
            await rounds.woken(self.event, rounds.LOOK_AGAIN)
            self.event.clear()
            with self.database.reading() as work:
                self.found.append(work.inbox.count("new"))
            self.woken += 1


@asynccontextmanager
async def writing(url: str) -> AsyncIterator[Writer]:
    """The writer of a process that has no worker."""
    database = Database(url)
    notifier = Notifier(database, {})
    yield Writer(database, here, notifier.notify)
    await notifier.close()
    database.close()


def plain(url: str) -> str:
    """The address as the driver has it."""
    return url.replace("postgresql+psycopg", "postgresql")


@contextmanager
def listening(url: str) -> Iterator[Callable[[], list[str]]]:
    """The notifications so far."""
    with psycopg.connect(plain(url), autocommit=True) as connection:
        connection.execute(f"LISTEN {Channel.MAIL_KEPT}".encode())
        heard: list[str] = []

        def hear() -> list[str]:
            heard.extend(notice.channel for notice in connection.notifies(timeout=0))
            return heard

        yield hear


@pytest.fixture(autouse=True)
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "LOOK_AGAIN", 2 * PATIENCE)


def test_an_idle_worker_is_notified_after_the_commit(postgres_url: str) -> None:
    async def scene() -> None:
        async with Process(postgres_url) as idle, writing(postgres_url) as writer:
            before = idle.woken

            def kept(work: UnitOfWork) -> None:
                keep(1)(work)
                assert idle.woken == before

            await writer.do(kept)
            await seen(lambda: idle.woken > before)
            assert idle.found[before:] == [1]

    asyncio.run(scene())


def test_a_row_without_a_notification_is_found_by_looking_again(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "LOOK_AGAIN", 0.01)

    async def scene() -> None:
        async with Process(postgres_url) as idle:
            keep_unnotified(postgres_url)
            await seen(lambda: idle.found[-1] == 1)

    asyncio.run(scene())


@pytest.mark.parametrize("seconds", [2 * PATIENCE, 0.01])
def test_a_process_that_was_cut_off_connects_again(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Also if it tries its connection out meanwhile."""
    monkeypatch.setattr(notify, "PAUSE", 0.01)
    monkeypatch.setattr(notify, "TRY_OUT_EVERY", seconds)

    async def scene() -> None:
        async with Process(postgres_url) as idle, writing(postgres_url) as writer:
            with psycopg.connect(plain(postgres_url), autocommit=True) as connection:
                connection.execute(_OTHERS)
            keep_unnotified(postgres_url)
            await seen(lambda: idle.found[-1] == 1)
            await writer.do(keep(1))
            await seen(lambda: idle.found[-1] == 2)

    asyncio.run(scene())


def test_many_commits_are_notified_once_at_once_and_once_later(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "NOTIFY_EVERY", 2 * PATIENCE)

    async def scene() -> None:
        with listening(postgres_url) as heard:
            async with writing(postgres_url) as writer:
                await writer.do(keep(0))
                await seen(heard)
                for number in range(1, MANY):
                    await writer.do(keep(number))
                assert len(heard()) == 1
            await seen(lambda: len(heard()) > 1)  # it ends, and sends what is pending
            assert len(heard()) == 2

    asyncio.run(scene())
