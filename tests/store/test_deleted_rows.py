"""What is deleted from a SQLite file is overwritten there, whatever SQLite does by itself."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pbm.store.db import Database
from pbm.store.values.mails import ArrivedMail
from tests.table import START

_WORD = "correct-horse-battery"


@pytest.fixture
def database(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """One whose SQLite leaves deleted bytes in their place, as builds outside of Debian do."""
    connect = sqlite3.dbapi2.connect

    def connecting(*words: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*words, **options)
        connection.execute("PRAGMA secure_delete=OFF")
        return connection

    monkeypatch.setattr(sqlite3.dbapi2, "connect", connecting)
    database = Database(sqlite_url)
    yield database
    database.close()


def test_each_connection_overwrites_what_it_deletes(database: Database) -> None:
    with ExitStack() as opened:
        used = [opened.enter_context(database.reading()) for _ in range(3)]
        used.append(opened.enter_context(database.glance()))
        assert [_setting(work) for work in used] == [1] * 4
    with database.transaction() as work:
        assert _setting(work) == 1


def test_the_text_of_an_obeyed_mail_is_nowhere_in_the_file(database: Database) -> None:
    file = Path(str(database.engine.url.database))
    for number in range(3):
        raw = f"Subject: signup alice {_WORD}\r\n\r\n{'x' * 40 * number}".encode()
        mail = {"digest": str(number), "recipient": "r", "sender": "s", "peer": "p", "raw": raw}
        with database.transaction() as work:
            kept = work.inbox.keep(ArrivedMail(**mail, now=START, same_for=START - START))
        _write_out(database)
        assert _WORD.encode() in file.read_bytes()
        with database.transaction() as work:
            work.inbox.finish([(kept or 0, "done")], START)
    _write_out(database)
    assert _WORD.encode() not in file.read_bytes()


def _setting(work: Any) -> int:
    return int(work._connection.exec_driver_sql("PRAGMA secure_delete").scalar_one())


def _write_out(database: Database) -> None:
    """Empty the write-ahead log into the file."""
    with closing(sqlite3.connect(str(database.engine.url.database))) as connection:
        (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert not is_busy
