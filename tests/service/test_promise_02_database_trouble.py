"""Promise 2: whatever ails the real database, who sends hears one fixed `451`, and comes again."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.store.sql import driver as engines
from tests.mail.wire.talk import OWN_FAULT, Inbox, listening, run, talking_to
from tests.serving import keep
from tests.table import SERVER, Table

MAIL = b"From: alice@example.org\r\nMessage-ID: <once@example.org>\r\nSubject: help\r\n\r\n"
LONG = MAIL + b"Some pages of words.\r\n" * 2_000


class RealInbox(Inbox):
    """Keeps mails as the server does."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table

    async def keep(
        self, sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
    ) -> str:
        del recipients
        kept = await asyncio.to_thread(keep, self.table, sender, (SERVER,), raw, caller.peer)
        assert isinstance(kept, str)
        return kept


@contextmanager
def locked(_table: Table, file: Path) -> Iterator[None]:
    """Another program has the database and does not let go of it."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


@contextmanager
def full(table: Table, _file: Path) -> Iterator[None]:
    """No page more fits: what SQLite says of a full disk."""

    def fill(connection: sqlite3.Connection, _record: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(table.database.engine, "connect", fill)
    yield
    event.remove(table.database.engine, "connect", fill)
    table.database.engine.dispose()


@contextmanager
def without_its_table(_table: Table, file: Path) -> Iterator[None]:
    """Somebody has renamed the inbox."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("ALTER TABLE inbox RENAME TO lost")
    yield
    other.execute("ALTER TABLE lost RENAME TO inbox")
    other.close()


@pytest.mark.parametrize("trouble", [locked, full, without_its_table])
def test_promise_02_of_the_database(
    trouble: Callable[[Table, Path], AbstractContextManager[None]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "_BUSY_MILLISECONDS", 50)  # as long as it waits for a lock
    file = tmp_path / "pbm.sqlite3"
    table = Table(f"sqlite:///{file}")
    table.database.engine.dispose()
    inbox = RealInbox(table)

    async def scene() -> None:
        async with listening(inbox) as port, talking_to(port) as client:
            with trouble(table, file):
                assert await client.send_mail(LONG) == OWN_FAULT
                assert len(inbox.faults) == 1
            assert table.rows("inbox") == []
            assert (await client.send_mail(LONG)).startswith("250 ")
        assert len(inbox.faults) == 1

    run(scene)
    (kept,) = table.rows("inbox_raw")
    assert kept["raw"].endswith(LONG[-1000:])
    table.close()
