"""pbm behind a real pgbouncer: with sessions of its own it works, else it says what to do."""

import asyncio

import psycopg
import pytest
from sqlalchemy import text

from pbm.app.opening import ready_database
from pbm.clock import system_clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.service.operator.checks import check
from pbm.store.connecting import refuse_lent_sessions
from pbm.store.db import Database
from pbm.store.processes.locks import AdvisoryLocks
from tests.pgbouncer import running_pgbouncer
from tests.postgres_server import PostgresServer
from tests.table import Table

pytestmark = pytest.mark.thorough
TURNS = (("a1-c3,d4", "i9-g7,f6"), ("a2-c4,b3", "i8-g6,h7"))


def test_postgresql_itself_is_no_pooler(postgres_url: str) -> None:
    database = Database(postgres_url)
    refuse_lent_sessions(database)
    database.close()


@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_a_pooler_that_lends_sessions_is_refused(
    mode: str, postgres_url: str, postgres_server: PostgresServer
) -> None:
    with running_pgbouncer(postgres_server, mode) as where:
        url = postgres_url.partition("?")[0] + where
        (told,) = (it for it in check(Settings(url), system_clock) if it.what == "database")
        assert not told.good
        assert "pool_mode = session" in told.text
        database = Database(url)
        with pytest.raises(OperatorError, match="pool_mode = session"):
            ready_database(database)
        database.close()


def test_a_pooler_with_a_session_each_serves(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    with running_pgbouncer(postgres_server, "session") as where:
        url = postgres_url.partition("?")[0] + where
        table = Table(url)
        ready_database(table.database)
        people = table.start("alice", "bob")
        for moves in TURNS:
            for person, move in zip(people, moves, strict=True):
                person.says(move)
        assert table.board(1).ply == 4
        mine, others = (AdvisoryLocks(table.database) for _ in range(2))
        assert mine.take([1, 2]) == {1, 2}
        assert others.take([2, 3]) == {3}
        mine.let_go([1, 2])
        assert others.take([2]) == {2}
        assert asyncio.run(_hears(table.database))
        for held in (mine, others):
            held.close()
        table.database.close()


async def _hears(database: Database) -> bool:
    """Whether a connection is told what another one tells."""
    async with await psycopg.AsyncConnection.connect(database.address, autocommit=True) as one:
        await one.execute("LISTEN somebody")
        with database.transaction() as work:
            work.execute(text("NOTIFY somebody"))
        async for notice in one.notifies():
            return notice.channel == "somebody"
    return False
