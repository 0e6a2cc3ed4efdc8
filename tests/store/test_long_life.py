"""What waits is found at the same cost however much is done, and whoever may still see it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, text

from pbm.store.db import Database, UnitOfWork
from pbm.store.migrate import migrate
from pbm.store.queues.queue import BEGINNING, MARGIN, SCAN_ALL, ScanFloor
from pbm.store.values.mails import ArrivedMail, Kind, NewMail, Queued
from tests.plans import generic_plan
from tests.postgres_server import PostgresServer

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BEFORE = NOW - timedelta(hours=1)
SINCE = NOW - MARGIN
DAY = timedelta(days=1)
MANY = 3000
WAIT = 4
_EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)"
# That a look reads: one for a hold, some for each mail, and never one for each that is done.
MOST_PAGES = 1 + 12 * WAIT

LOOKS: dict[str, Callable[[UnitOfWork], Any]] = {
    "turns": lambda work: work.inbox.claim(NOW, WAIT, since=SINCE),
    "a mail comes": lambda work: _keep(work, "new", NOW, 7),
    "post": lambda work: work.outbox.claim_due(NOW, most=WAIT, passing_over=(), since=SINCE),
    "the next post": lambda work: work.outbox.next_due_at(since=SINCE),
}


def _keep(work: UnitOfWork, digest: str, now: datetime, lane: int) -> int | None:
    mail = ArrivedMail(digest, "r", "s", "p", b"raw", now, DAY, Queued(f"u{lane}", lane))
    return work.inbox.keep(mail)


def _write(work: UnitOfWork, lane: int, now: datetime, name: str) -> None:
    work.outbox.add(
        NewMail(
            kind=Kind.ANSWER,
            recipient=f"{lane}@example.org",
            template="answer",
            params={},
            headers={},
            message_id=f"<{name}.{lane}@x>",
            sender="",
            written_at=now,
        )
    )


@pytest.fixture(scope="module")
def database(postgres_server: PostgresServer) -> Iterator[Database]:
    """Thousands of mails that have waited and are done, all still seen by a snapshot."""
    with postgres_server.new_database() as url:
        database = Database(url)
        migrate(database)
        with _snapshot(database):
            with database.transaction() as work:
                for lane in range(MANY):
                    _keep(work, f"old{lane}", BEFORE, lane)
                    _write(work, lane, BEFORE, "old")
            with database.transaction() as work:
                work.inbox.finish([(number, "done") for number in range(1, MANY + 1)], NOW)
                work.outbox.finish(range(1, MANY + 1), "sent", NOW)
            with database.transaction() as work:
                for lane in range(WAIT):
                    _keep(work, f"new{lane}", NOW, lane)
                    _write(work, lane, NOW, "new")
            yield database
        database.close()


@contextmanager
def _snapshot(database: Database) -> Iterator[None]:
    held = database.engine.execution_options(isolation_level="REPEATABLE READ")
    with held.connect() as connection:
        connection.execute(text("SELECT 1"))
        yield


@pytest.mark.parametrize("is_generic", [True, False], ids=["any values", "these values"])
@pytest.mark.parametrize("name", LOOKS)
def test_a_look_reads_no_row_that_is_done(name: str, is_generic: bool, database: Database) -> None:
    assert 0 < _pages(database, LOOKS[name], is_generic=is_generic) <= MOST_PAGES


def test_a_look_from_the_beginning_reads_them_all(database: Database) -> None:
    """So the others show something."""

    def look(work: UnitOfWork) -> object:
        return work.inbox.claim(NOW, WAIT)

    assert _pages(database, look, is_generic=False) > MOST_PAGES


def _pages(database: Database, look: Callable[[UnitOfWork], Any], *, is_generic: bool) -> int:
    """How many pages the statement of a look reads, by a plan for its values or for any."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, sql: str, values: Any, *_: object) -> None:
        asked.append((sql, values))

    event.listen(database.engine, "before_cursor_execute", note)
    with database.engine.connect() as connection:
        look(UnitOfWork(connection))
        event.remove(database.engine, "before_cursor_execute", note)
        connection.rollback()
        sql, values = asked[0]
        driver: Any = connection.connection.driver_connection
        if is_generic:
            plan = generic_plan(driver, sql, values, _EXPLAIN)
        else:
            plan = driver.execute(f"{_EXPLAIN} {sql}", values).fetchone()
        connection.rollback()
    found = plan[0][0]["Plan"]
    return int(found["Shared Hit Blocks"] + found["Shared Read Blocks"])


def test_the_mark_follows_what_is_found_and_goes_back_now_and_then() -> None:
    mark, second = ScanFloor(), timedelta(seconds=1)
    assert mark.since(NOW) == BEGINNING
    mark.found([NOW - second, NOW - 2 * second], NOW)
    assert mark.since(NOW + second) == NOW - 2 * second - MARGIN
    mark.found([], NOW + second)
    assert mark.since(NOW + 2 * second) == NOW + second - MARGIN
    assert mark.since(NOW + SCAN_ALL) == BEGINNING
    mark.found([], NOW + SCAN_ALL)
    assert mark.since(NOW) == BEGINNING  # the clock went back
