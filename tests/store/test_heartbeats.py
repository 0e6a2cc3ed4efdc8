"""How far a process's clock is ahead of the database's."""

from datetime import timedelta

from pbm.clock import system_clock
from pbm.store.db import Database
from pbm.store.values.queues import Heartbeat


def test_a_clock_is_compared_with_the_databases(database: Database) -> None:
    with database.transaction() as work:
        ahead = work.heartbeats.clock_ahead(lambda: system_clock() + timedelta(minutes=5))
        assert ahead is None if database.embedded else 290 < (ahead or 0) < 310
        now = system_clock()
        work.heartbeats.beat([Heartbeat("p", "turn", "a", 1, now, now, ahead)])
        (beat,) = work.heartbeats.all()
        assert beat.ahead == ahead
