"""A SQLite file gives back the pages that deleted rows leave free."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from pbm.service.operator import copies
from pbm.service.ticks import expiry
from pbm.store.db import Database
from pbm.store.values.queues import TimerKind
from tests.table import Table


def pages(database: Database) -> tuple[int, int]:
    """How many pages there are, and how many of them are free."""
    with database.reading() as work:
        both = text(
            "SELECT page_count, freelist_count FROM pragma_page_count(), pragma_freelist_count()"
        )
        count, free = work.execute(both).one()
        return count, free


def mode(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        found: int = connection.execute("PRAGMA auto_vacuum").fetchone()[0]
        return found


def test_a_file_shrinks_a_little_at_a_time_each_day(
    embedded: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, now = embedded.database, embedded.clock()
    assert mode(Path(str(database.engine.url.database))) == 2
    with database.transaction() as work:
        for number in range(200):
            work.facts.note(str(number), "x" * 4000, now)
    with database.transaction() as work:
        for number in range(200):
            work.facts.forget(str(number))
        work.timers.set(TimerKind.DAILY_ERASURE, "", now, now + timedelta(minutes=5))
    before, free = pages(database)
    with database.transaction() as work:
        assert work.counts.give_back_pages(3)
    assert pages(database) == (before - 3, free - 3)
    monkeypatch.setattr(expiry, "_MOST_PAGES", 40)
    embedded.days_pass(1)
    after, left = pages(database)
    assert after < before - 100
    assert 0 < left <= after // 9
    with database.transaction() as work:
        assert not work.counts.give_back_pages(3)


def test_a_small_file_of_before_is_rewritten_when_it_is_migrated(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(sqlite_url)
    file = Path(str(database.engine.url.database))
    with database.engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))  # as if it were to be migrated
    database.close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA auto_vacuum=NONE")
        connection.execute("VACUUM")
    monkeypatch.setattr(copies, "migrate", lambda _: None)
    monkeypatch.setattr(copies, "_SMALL", 1)
    copies.bring_up_to_date(database)
    assert mode(file) == 0
    monkeypatch.setattr(copies, "_SMALL", 1 << 30)
    copies.bring_up_to_date(database)
    assert mode(file) == 2
    database.close()
