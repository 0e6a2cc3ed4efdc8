"""A consent stands from its first moment on, for one origin, and until `newkey`."""

from datetime import timedelta

from tests.table import Table

ORIGIN, OTHER = "a" * 32, "b" * 32
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def test_a_consent_stands_until_it_is_over(table: Table) -> None:
    table.start("alice", "bob")
    now = table.clock()
    with table.database.transaction() as work:
        alice = work.players.by_handle("alice")
        bob = work.players.by_handle("bob")
        assert alice is not None
        assert bob is not None
        work.consents.give(alice, ORIGIN, now, over=now - DAY)
        work.consents.give(alice, ORIGIN, now + HOUR, over=now + HOUR - DAY)
        assert work.consents.stands(alice, ORIGIN, since=now - HOUR)
        assert not work.consents.stands(alice, ORIGIN, since=now)  # it was not prolonged
        assert not work.consents.stands(alice, OTHER, since=now - HOUR)
        assert not work.consents.stands(bob, ORIGIN, since=now - HOUR)
        work.consents.give(alice, ORIGIN, now + DAY, over=now)
        assert work.consents.stands(alice, ORIGIN, since=now)
        work.players.renew_epoch(alice.id)
        alice = work.players.get(alice.id)
        assert not work.consents.stands(alice, ORIGIN, since=now)
        work.consents.give(alice, ORIGIN, now + DAY, over=now)
        assert work.consents.stands(alice, ORIGIN, since=now)
        work.consents.forget_before(now + 2 * DAY)
        assert not work.consents.stands(alice, ORIGIN, since=now)
