"""What is locked until the commit, who waits for it, and who passes it over: on PostgreSQL.

`tests/workshop/test_mutants.py` breaks each lock in turn, and a test here or elsewhere must fail.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from pbm.errors import OperatorError
from pbm.rules import abalone as rules
from pbm.store.db import Database, UnitOfWork
from pbm.store.processes.locks import acquire_server_lock
from pbm.store.repositories.buckets import Rate
from pbm.store.repositories.challenges import Expiring
from pbm.store.values.mails import ArrivedMail, Kind, NewMail
from pbm.store.values.queues import SearchKind, TimerKind

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
_SOON = text("SET LOCAL lock_timeout = '200ms'")  # whoever would wait for ever fails


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    """One row of each kind: a board of alice and bob, a mail in, a mail out, and so on."""
    database = Database(postgres_url)
    with database.transaction() as work:
        alice, bob = (
            work.players.add(name, f"{name}@example.org", NOW) for name in ("alice", "bob")
        )
        start = rules.GAME.start(2, {"layout": "standard"})
        board = work.boards.add("abalone", {}, start, [alice.id, bob.id], "Board {number}", NOW)
        work.outbox.add(_mail(1))
        mail = ArrivedMail("d", "r", "s", "p", b"raw", now=NOW, same_for=DAY)
        assert work.inbox.keep(mail) == 1
        work.questions.ask("signup", "carol@example.org", "digest", {}, NOW, NOW + DAY)
        work.challenges.add(1, {}, [1, 2], [2], NOW, NOW + DAY)
        work.facts.note("what", 1, NOW)
        work.search_jobs.ask(SearchKind.MOVE, "1", NOW, board, alice.id)
        work.execute(text("DELETE FROM due"))  # the questions have set timers
        work.timers.set(TimerKind.CLOCK, "1", NOW, NOW, board_id=1)
        work.execute(text("UPDATE due SET id = 1"))
    yield database
    database.close()


def _mail(number: int) -> NewMail:
    about: dict[str, Any] = {"player_id": 1, "board_id": 1, "inbox_id": None}
    mail: dict[str, Any] = {"template": "board", "params": {}, "headers": {}, "sender": ""}
    return NewMail(
        Kind.BOARD, "bob@example.org", message_id=f"<{number}@x>", written_at=NOW, **mail, **about
    )


class _Looking(Expiring):
    """It looks for what expires, and changes nothing, since a change would be a lock, too."""

    def _update(self, *_: object, **values: object) -> None: ...


@dataclass(frozen=True)
class Lock:
    """A call that locks a row of a table."""

    table: str
    take: Callable[[UnitOfWork], object]
    key: str = "id = 1"


LOCKS = {
    "a board": Lock("boards", lambda work: work.boards.get(1, lock=True)),
    "a free board": Lock("boards", lambda work: work.boards.lock_if_free(1)),
    "awaited boards": Lock("boards", lambda work: work.boards.longest_waiting(1, 0, 9)),
    "a player": Lock("players", lambda work: work.players.find_locked(1)),
    "a challenge": Lock("challenges", lambda work: work.challenges.find(1)),
    "a question": Lock("questions", lambda work: work.questions.find(1)),
    "its token": Lock("questions", lambda work: work.questions.by_token("digest", lock=True)),
    "a fact": Lock("facts", lambda work: work.facts.find("what", lock=True), "name = 'what'"),
    "a mail": Lock("inbox", lambda work: work.inbox.claim(NOW)),
    "a new mail": Lock("inbox", lambda work: work.inbox.find_new(1)),
    "a mail out": Lock("outbox", lambda work: work.outbox.get(1, lock=True)),
    "a timer": Lock("due", lambda work: work.timers.claim(NOW, 9)),
    "a search": Lock("thoughts", lambda work: work.search_jobs.find(1)),
    "what expires": Lock(
        "challenges", lambda work: _Looking(work).put_off_answers([(NOW, timedelta())])
    ),
}


@pytest.mark.parametrize("name", LOCKS)
def test_it_is_held_until_the_commit(name: str, database: Database) -> None:
    lock = LOCKS[name]
    look = f"SELECT 1 FROM {lock.table} WHERE {lock.key} FOR NO KEY UPDATE SKIP LOCKED"
    assert database_says(database, look) == 1
    with database.transaction() as work:
        lock.take(work)
        work.flush()
        assert database_says(database, look) is None
    assert database_says(database, look) == 1


def database_says(database: Database, query: str) -> Any:
    """Ask on a connection of its own."""
    with database.engine.connect() as connection:
        return connection.execute(text(query)).scalar()


@pytest.mark.parametrize("name", ["a board", "a free board", "awaited boards", "a player"])
def test_rows_that_refer_to_it_are_added_meanwhile(name: str, database: Database) -> None:
    with database.transaction() as work, database.transaction() as other:
        LOCKS[name].take(work)
        other.execute(_SOON)
        other.outbox.add(_mail(2))


PASSES: dict[str, Callable[[UnitOfWork], object]] = {
    "a free board": lambda work: work.boards.lock_if_free(1),
    "awaited boards": lambda work: work.boards.longest_waiting(1, 0, 9),
    "a mail": lambda work: work.inbox.claim(NOW),
    "a new mail": lambda work: work.inbox.find_new(1, wait=False),
    "a timer": lambda work: work.timers.claim(NOW, 9),
    "a search": lambda work: work.search_jobs.claim(NOW, 9, "me", NOW + DAY)[0],
}


@pytest.mark.parametrize("name", PASSES)
def test_what_another_has_is_passed_over(name: str, database: Database) -> None:
    with database.transaction() as work, database.transaction() as other:
        LOCKS[name].take(work)
        work.flush()
        other.execute(_SOON)
        assert not PASSES[name](other)
    with database.transaction() as work:
        assert PASSES[name](work)


def test_a_timer_that_another_has_is_not_brought_forward(database: Database) -> None:
    with database.transaction() as work, database.transaction() as other:
        work.timers.claim(NOW, 9)
        other.execute(_SOON)
        other.timers.advance(TimerKind.CLOCK, ["1"], NOW - DAY, NOW)
    with database.reading() as work:
        assert work.timers.next_due_at() == NOW


def test_old_buckets_that_another_uses_are_not_waited_for(database: Database) -> None:
    one, another = Rate("a", 2, DAY), Rate("b", 2, DAY)
    with database.transaction() as work:
        one.take(work, NOW)
        another.take(work, NOW)
    with database.transaction() as work, database.transaction() as other:
        one.take(work, NOW)
        work.flush()
        other.execute(_SOON)
        other.buckets.forget_full(NOW + 8 * DAY)
    with database.reading() as work:
        assert one.left(work, NOW) == 0
        assert another.left(work, NOW) == 2


FOR_ALL: dict[str, Callable[[UnitOfWork], None]] = {
    "the seeks": lambda work: work.seeks.lock(),
    "the ratings": lambda work: work.ratings.hold(),
}


@pytest.mark.parametrize("name", FOR_ALL)
def test_only_one_has_it(name: str, database: Database) -> None:
    with database.transaction() as work:
        FOR_ALL[name](work)
        assert _must_wait(database, FOR_ALL[name])


def test_settings_are_read_only_once_nobody_else_changes_them(database: Database) -> None:
    with database.transaction() as work:
        work.players.change_settings(1, weekend=False)
        work.flush()
        assert _must_wait(database, lambda other: other.players.change_settings(1, strict=True))


def _must_wait(database: Database, call: Callable[[UnitOfWork], object]) -> bool:
    """Whether a call waits for somebody else; what it has only buffered does not."""
    try:
        with database.transaction() as other:
            other.execute(_SOON)
            call(other)
            raise ZeroDivisionError
    except OperationalError:
        return True
    except ZeroDivisionError:
        return False


# -- what a transaction holds ------------------------------------------------------------------


def test_what_an_undone_savepoint_has_locked_is_locked_again(database: Database) -> None:
    """A refused command is undone, and the next one of the same mail needs the board."""
    for name in ("a board", "a free board", "awaited boards"):
        with database.transaction() as work:
            with suppress(ZeroDivisionError), work.savepoint():
                LOCKS[name].take(work)
                assert work.holds(1)
                raise ZeroDivisionError
            assert not work.holds(1)
            work.boards.get(1, lock=True)
            with database.transaction() as other:
                assert not other.boards.lock_if_free(1)


def test_what_was_locked_before_an_undone_savepoint_is_held(database: Database) -> None:
    with database.transaction() as work:
        work.boards.get(1, lock=True)
        with suppress(ZeroDivisionError), work.savepoint():
            raise ZeroDivisionError
        assert work.holds(1)
        with database.transaction() as other:
            assert not other.boards.lock_if_free(1)


@pytest.mark.parametrize("name", ["a board", "a free board", "awaited boards"])
def test_what_is_held_is_not_locked_once_more(name: str, database: Database) -> None:
    with database.transaction() as work:
        LOCKS[name].take(work)
        with heard(database) as found:
            work.boards.get(1, lock=True)
    assert not any("FOR NO KEY UPDATE" in sql for sql in found)


def test_a_transaction_that_goes_on_after_its_commit_holds_nothing(database: Database) -> None:
    with database.transaction() as work:
        work.boards.get(1, lock=True)
        work.end()
        with database.transaction() as other:
            assert other.boards.lock_if_free(1)
        work.boards.get(1, lock=True)
        with database.transaction() as other:
            assert not other.boards.lock_if_free(1)


@contextmanager
def heard(database: Database) -> Iterator[list[str]]:
    """The statements that the database hears of."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        found.append(sql)

    event.listen(database.engine, "before_cursor_execute", note)
    yield found
    event.remove(database.engine, "before_cursor_execute", note)


# -- the second look, after a wait -------------------------------------------------------------

SEEN: dict[str, Callable[[UnitOfWork], object]] = {
    "a board": LOCKS["a board"].take,
    "a free board": LOCKS["a free board"].take,
    "a player": LOCKS["a player"].take,
    "a challenge": LOCKS["a challenge"].take,
    "the seeks": FOR_ALL["the seeks"],
    "a mail": LOCKS["a mail"].take,
}


@pytest.mark.parametrize("name", SEEN)
def test_after_a_lock_rows_are_read_again(name: str, database: Database) -> None:
    with database.transaction() as work:
        assert (work.boards.get(1).taken_back, work.players.get(1).handle) == (0, "alice")
        with database.transaction() as other:
            other.boards.change(1, taken_back=7)
            other.players.change_handle(other.players.get(1), "anna")
        assert (work.boards.get(1).taken_back, work.players.get(1).handle) == (0, "alice")
        SEEN[name](work)
        assert (work.boards.get(1).taken_back, work.players.get(1).handle) == (7, "anna")


def test_a_mail_that_another_has_done_is_not_new(database: Database) -> None:
    with database.transaction() as work:
        work.inbox.finish([(1, "done")], NOW)
    with database.transaction() as work:
        assert work.inbox.find_new(1) is None
        assert work.inbox.find_new(1, wait=False) is None
        assert work.inbox.count_try(1, "an error") == 0
        work.inbox.set_stuck(1)
        mail = work.inbox.get(1)
        assert (mail.status, mail.tries) == ("done", 0)


def test_a_mail_that_another_has_sent_or_put_off_is_not_due(database: Database) -> None:
    with database.transaction() as work:
        assert work.outbox.still_due([1], NOW) == {1}
        work.outbox.defer(1, "451", NOW + DAY)
        assert work.outbox.still_due([1], NOW) == set()
        assert work.outbox.still_due([1], NOW + DAY) == {1}
        work.outbox.finish([1], "sent", NOW)
        assert work.outbox.still_due([1], NOW + DAY) == set()


# -- one server on a file ----------------------------------------------------------------------


def test_one_server_has_a_file(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    held = acquire_server_lock(database)
    link = tmp_path / "link.sqlite3"
    link.symlink_to(database.engine.url.database or "")
    for url in (sqlite_url, f"sqlite:///{link}"):
        with pytest.raises(OperatorError, match="uses the database"):
            acquire_server_lock(Database(url))
    assert held is not None
    held.close()
    again = acquire_server_lock(database)
    assert again is not None
    again.close()
    database.close()
