"""A transaction in which nothing is asked for too long is ended by the server, and done again."""

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.db import UnitOfWork
from pbm.store.sql.driver import MOST_IDLE_SECONDS, is_away
from tests.polling import until
from tests.postgres_server import PostgresServer
from tests.serving import take_next
from tests.table import Table

_OPEN = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND xact_start IS NOT NULL"


def test_every_connection_has_the_limit(shared: Table) -> None:
    with shared.database.engine.connect() as connection:
        connection.rollback()
        shown = connection.scalar(text("SHOW idle_in_transaction_session_timeout"))
        assert shown == f"{MOST_IDLE_SECONDS // 60}min"


def test_a_turn_that_was_cut_off_is_played_once(
    shared: Table, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, _ = shared.start("alice", "bob")
    to = alice.mail("Abalone Board").reply_to
    shared.hand_in(alice.address, to, alice.mail_bytes("", "a1-c3,d4", to=to))
    take = InboxWorker._take

    def stand_still(turns: InboxWorker, work: UnitOfWork, prepared: Any, **how: bool) -> str:
        work.execute(text("SET LOCAL idle_in_transaction_session_timeout = 1"))
        with postgres_server.connected("postgres") as other:
            name = [shared.database.engine.url.database]
            until(lambda: other.execute(_OPEN, name).fetchone() == (0,), "the end of it")
        return take(turns, work, prepared, **how)

    with monkeypatch.context() as planted:
        planted.setattr(InboxWorker, "_take", stand_still)
        with pytest.raises(DBAPIError) as caught:
            take_next(shared.turns)
    assert is_away(caught.value)  # so that it is no try of the mail, which may be well
    assert shared.board(1).ply == 0
    assert take_next(shared.turns)
    assert shared.board(1).ply == 1
    assert not any(row["tries"] for row in shared.rows("inbox"))
