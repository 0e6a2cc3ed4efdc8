"""A statement compiled once does what SQLAlchemy's own execution does."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from sqlalchemy import bindparam, insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, ProgrammingError

from pbm.store.db import Database
from pbm.store.migrate import migrate
from pbm.store.schema.asking import questions
from pbm.store.sql.driver import Call, execute, is_away
from pbm.store.sql.statement import Statement
from pbm.store.sql.transaction import Transaction

ASKED = datetime(2026, 11, 21, 14, 30, tzinfo=timezone(timedelta(hours=2)))
NAMES = ("token_digest", "kind", "address", "address_key", "params", "asked_at", "expires_at")
ADD = Statement(insert(questions).inline().values({name: bindparam(name) for name in NAMES}))
FIND = Statement(select(questions).where(questions.c.token_digest == bindparam("digest")))


def question(digest: str, params: Any) -> dict[str, Any]:
    return {
        "token_digest": digest,
        "kind": "signup",
        "address": "Ann@example.org",
        "address_key": "ann@example.org",
        "params": params,
        "asked_at": ASKED,
        "expires_at": ASKED,
    }


def test_values_come_back_as_they_went_in(database: Database) -> None:
    params = {"handle": "ann", "words": ["é", None, 1.5]}
    with database.engine.begin() as connection:
        transaction = Transaction(connection)
        ADD.run(transaction, question("one", params), question("two", None))
        found = FIND.row(transaction, digest="one")
        assert found == dict(
            connection.execute(select(questions).where(questions.c.id == 1)).mappings().one()
        )
        assert found
        assert found["params"] == params
        assert found["asked_at"] == ASKED
        assert found["asked_at"].tzinfo is UTC
        assert FIND.rows(transaction, digest="two")[0]["params"] is None
        assert FIND.row(transaction, digest="three") is None
        assert FIND.value(transaction, digest="two") == 2


def test_a_value_too_many_or_too_few_is_a_bug(database: Database) -> None:
    with database.engine.begin() as connection:
        transaction = Transaction(connection)
        for values in ({}, {"digest": "one", "kind": "signup"}, {"token": "one"}):
            with pytest.raises(TypeError, match="digest"):
                FIND.rows(transaction, **values)


def test_a_moment_without_a_zone_is_refused(database: Database) -> None:
    with database.engine.begin() as connection, pytest.raises(ValueError, match="aware"):
        ADD.run(Transaction(connection), question("one", {}) | {"asked_at": datetime(2026, 11, 21)})


def test_errors_are_those_of_sqlalchemy_and_quote_no_values(database: Database) -> None:
    with database.engine.connect() as connection:
        transaction = Transaction(connection)
        ADD.run(transaction, question("secret", {}), question("secret", {}))
        with connection.begin(), pytest.raises(IntegrityError) as caught:
            transaction.flush()
        assert "Ann" not in str(caught.value)
        with connection.begin(), pytest.raises((OperationalError, ProgrammingError)):
            transaction.run(Call("SELECT nothing FROM nowhere"))


def test_an_update_says_what_stands_in_it_and_what_is_bound(database: Database) -> None:
    settle = Statement(
        update(questions)
        .where(questions.c.token_digest == bindparam("digest"))
        .values(answer="yes", epoch=questions.c.epoch + bindparam("more"))
    )
    with database.engine.begin() as connection:
        transaction = Transaction(connection)
        ADD.run(transaction, question("one", {}), question("two", {}))
        settle.run(transaction, {"digest": "one", "more": 2})
        transaction.flush()
        rows = connection.execute(
            select(questions.c.answer, questions.c.epoch).order_by(questions.c.id)
        )
        assert rows.all() == [("yes", 3), (None, 1)]


def test_a_connection_that_broke_is_given_up_and_known_as_away(postgres_url: str) -> None:
    database = Database(postgres_url)
    migrate(database)
    with pytest.raises(DBAPIError) as caught:
        ask_while_cut_off(database, postgres_url)
    assert is_away(caught.value)
    assert caught.value.connection_invalidated
    with database.reading() as work:
        assert work.players.find(1) is None
    database.close()


def test_a_connection_that_cannot_leave_its_pipeline_is_given_up(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As where a server that is killed still says so: to roll back would fail, too."""

    def stays(*_: object) -> None:
        raise psycopg.OperationalError("cannot exit pipeline mode while busy")

    database = Database(postgres_url)
    migrate(database)
    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Pipeline, "__exit__", stays)
        with pytest.raises(DBAPIError) as caught:
            ask_two_things(database)
    assert is_away(caught.value)
    assert caught.value.connection_invalidated
    assert not caplog.records, "whoever took the connection back has failed"
    with database.reading() as work:
        assert work.players.find(1) is None
    database.close()


def ask_two_things(database: Database) -> None:
    with database.engine.begin() as connection:
        execute(connection, Call("SELECT 1"), Call("SELECT 2"))


def ask_while_cut_off(database: Database, url: str) -> None:
    others = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    with database.transaction() as work, work.savepoint():
        assert work.players.all() == ()
        with Database(url).engine.begin() as other:
            other.execute(text(f"SELECT pg_terminate_backend(pid) {others}"))
        work.players.find(1)


def test_a_value_is_written_as_it_was_when_it_was_given(database: Database) -> None:
    params = {"words": ["first"]}
    with database.engine.begin() as connection:
        transaction = Transaction(connection)
        ADD.run(transaction, question("one", params))
        params["words"].append("second")
        found = FIND.row(transaction, digest="one")
    assert found
    assert found["params"] == {"words": ["first"]}
