"""Who has nothing to do is told of what is committed, or finds it; nobody else is told anything."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from pbm.service.running.writer import Writer
from pbm.store import waking
from pbm.store.db import Database, UnitOfWork
from pbm.store.processes.channels import MAIL_KEPT, MAIL_WRITTEN, TIMER_SET, Channel
from pbm.store.values.mails import ArrivedMail
from pbm.store.values.timers import TimerKind
from pbm.store.waking import PLACES, Bell, Waking
from tests.polling import PATIENCE

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MANY = 40
_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE %s
"""


def keep(number: int, now: datetime = NOW) -> Callable[[UnitOfWork], object]:
    """A piece of work that keeps a mail."""
    mail = ArrivedMail(str(number), "r", "s", "p", b"raw", now, timedelta(hours=1))
    return lambda work: work.inbox.keep(mail)


def keep_untold(url: str, now: datetime | None = None) -> None:
    """What a process commits that dies before it tells anybody."""
    database = Database(url)
    with database.transaction() as work:
        keep(0, now or datetime.now(UTC))(work)  # what has waited for longer has no sign
    database.close()


async def seen(look: Callable[[], object]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(PATIENCE):
        while not look():
            await asyncio.sleep(0.005)


class Process:
    """A process with the role of one channel, which has nothing to do until its bell rings."""

    def __init__(self, url: str, channel: Channel = MAIL_KEPT) -> None:
        self.url = url
        self.bell = Bell()
        self.database = Database(url)
        self.waking = Waking(self.database, {channel: self.bell})
        self.rung = 0
        self.found: list[int] = []
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def has_place(self) -> bool:
        return bool(self.waking._places)

    async def __aenter__(self) -> "Process":
        self._tasks = [asyncio.create_task(it) for it in (self.waking.listen(), self._idle())]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await self.waking.close()
        self.database.close()

    def is_busy(self) -> None:
        """From now on its role has no rest."""
        self._tasks[1].cancel()

    async def _idle(self) -> None:
        while True:
            await self.bell.wait()
            self.bell.clear()
            with self.database.reading() as work:
                self.found.append(work.inbox.count("new"))
            self.rung += 1


@asynccontextmanager
async def writing(url: str) -> AsyncIterator[Writer]:
    """The writer of a process that waits for nothing."""
    database = Database(url)
    telling = Waking(database, {})
    yield Writer(database, here, telling.tell)
    await telling.close()
    database.close()


def plain(url: str) -> str:
    """The address as the driver has it."""
    return url.replace("postgresql+psycopg", "postgresql")


@contextmanager
def listening(url: str, *, taken: Channel) -> Iterator["Heard"]:
    """Who has the place of a channel, and hears all of them."""
    with psycopg.connect(plain(url), autocommit=True) as connection:
        for channel in (MAIL_KEPT, MAIL_WRITTEN):
            connection.execute(f"LISTEN {channel.name}".encode())
        connection.execute(f"SELECT pg_advisory_lock({PLACES}, {taken.number})".encode())
        yield Heard(connection)


class Heard:
    """What was told so far; with `to_the_end`, nothing is under way any more."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._heard: list[str] = []

    def __call__(self, *, to_the_end: bool = False) -> list[str]:
        if to_the_end:
            self._connection.execute("LISTEN the_end")
            self._connection.execute("NOTIFY the_end")
        self._hear()
        while to_the_end and self._heard[-1:] != ["the_end"]:
            self._hear()
        return [name for name in self._heard if name != "the_end"]

    def _hear(self) -> None:
        heard = self._connection.notifies(timeout=0)
        self._heard.extend(notice.channel for notice in heard)


async def here(work: Callable[[], Any]) -> Any:
    return work()


def play(scene: Awaitable[None]) -> None:
    async def run() -> None:
        await scene

    asyncio.run(run())


def test_who_waits_is_told_after_the_commit(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waking, "LOOK_EVERY", 0.005)
    long_ago = datetime.now(UTC) - timedelta(hours=1)  # so that no look finds it by its sign

    async def scene() -> None:
        async with Process(postgres_url) as idle, writing(postgres_url) as writer:
            await seen(lambda: idle.has_place)
            before = idle.rung

            def kept(work: UnitOfWork) -> None:
                keep(1, long_ago)(work)
                assert idle.rung == before

            await writer.do(kept)
            await seen(lambda: idle.rung > before)
            assert idle.found[before:] == [1]

    play(scene())


def test_what_nobody_tells_of_is_found(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waking, "LOOK_EVERY", 0.01)

    async def scene() -> None:
        async with Process(postgres_url) as idle:
            await seen(lambda: idle.has_place)
            before = idle.rung
            keep_untold(postgres_url)
            await seen(lambda: idle.rung > before)

    play(scene())


def test_what_has_just_come_is_left_to_whoever_was_told(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waking, "LOOK_EVERY", 0.005)
    later = datetime.now(UTC) + timedelta(hours=1)  # so that it has just come whenever that is

    async def scene() -> None:
        async with Process(postgres_url) as idle:
            await seen(lambda: idle.has_place)
            keep_untold(postgres_url, later)
            before, looks = idle.rung, count_looks(idle, monkeypatch)
            await seen(lambda: len(looks) > 5)
            assert idle.rung == before

    play(scene())


def test_who_is_cut_off_finds_it_too(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waking, "LOOK_EVERY", 0.01)

    async def scene() -> None:
        async with Process(postgres_url) as idle:
            await seen(lambda: idle.has_place)
            with psycopg.connect(plain(postgres_url), autocommit=True) as connection:
                connection.execute(_OTHERS, ("%advisory%",))
            keep_untold(postgres_url)
            await seen(lambda: idle.found and idle.found[-1] == 1 and idle.has_place)

    play(scene())


def test_a_change_rings_once_and_what_stays_does_not(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mail that cannot be sent yet, or a timer for later, is no news at every look."""
    monkeypatch.setattr(waking, "LOOK_EVERY", 0.005)

    async def scene() -> None:
        async with Process(postgres_url, TIMER_SET) as idle:
            await seen(lambda: idle.has_place)
            looks = count_looks(idle, monkeypatch)
            before = idle.rung
            database = Database(postgres_url)
            with database.transaction() as work:
                work.timers.set(TimerKind.FIRST_MOVE_REMINDER, "x", NOW, NOW)
            database.close()
            await seen(lambda: idle.rung > before)
            more = len(looks) + 5
            await seen(lambda: len(looks) >= more)
            assert idle.rung == before + 1

    play(scene())


def count_looks(process: Process, monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """A list that grows with every look."""
    looks: list[None] = []
    ask = process.waking._question

    def asked(*about: Any) -> bytes:
        looks.append(None)
        return ask(*about)

    monkeypatch.setattr(process.waking, "_question", asked)
    return looks


def test_many_commits_are_told_of_once_at_once_and_once_later(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waking, "TELL_EVERY", 2 * PATIENCE)

    async def scene() -> None:
        with listening(postgres_url, taken=MAIL_KEPT) as told:
            async with writing(postgres_url) as writer:
                await writer.do(keep(0))
                await seen(told)
                for number in range(1, MANY):
                    await writer.do(keep(number))
                assert len(told()) == 1
            await seen(lambda: len(told()) > 1)  # it ends, and tells what it has not told yet
            assert told(to_the_end=True) == ["pbm_mail_kept"] * 2

    play(scene())


def test_nobody_is_told_while_nobody_waits(postgres_url: str) -> None:
    async def scene() -> None:
        with listening(postgres_url, taken=MAIL_WRITTEN) as told:
            async with writing(postgres_url) as writer:
                await writer.do(keep(0))
            assert told(to_the_end=True) == []

    play(scene())


def test_one_of_those_who_wait_has_the_place_until_it_is_busy(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waking, "LOOK_EVERY", 0.005)

    async def scene() -> None:
        async with Process(postgres_url) as one, Process(postgres_url) as two:
            await seen(lambda: one.has_place or two.has_place)
            looks = [count_looks(each, monkeypatch) for each in (one, two)]
            await seen(lambda: min(map(len, looks)) > 3)
            first, other = (one, two) if one.has_place else (two, one)
            assert not other.has_place
            first.is_busy()
            await seen(lambda: other.has_place)
            assert not first.has_place

    play(scene())
