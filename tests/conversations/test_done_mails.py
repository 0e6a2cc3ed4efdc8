"""A mail that was done a month ago leaves no row, and can be answered all the same."""

from datetime import timedelta

import pytest

from pbm.play.limits import MAILS_KEPT
from pbm.service.ticks import expiry
from pbm.store.values.queues import TimerKind
from tests.conversations.test_clocks import begun, plays_next
from tests.table import Table


def erases_daily(table: Table) -> None:
    now = table.clock()
    with table.database.transaction() as work:
        work.timers.set(TimerKind.DAILY_ERASURE, "", now, now + timedelta(minutes=5))


def test_done_mails_go_after_a_month(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiry, "_MOST_MAILS", 3)
    erases_daily(table)
    alice, bob = table.start("alice", "bob")
    for number in range(4):
        alice.says("chat 1\n\nHello!") if number % 2 else bob.says("show 1")
    old = alice.says("a1-c3,d4").newest
    bob.says("resign 1").says("yes")
    mails = len(table.rows("outbox"))
    table.days_pass(30)
    assert len(table.rows("outbox")) == mails
    table.days_pass(3)
    assert (table.rows("inbox"), table.rows("outbox")) == ([], [])
    assert "Board 2" in alice.says("rematch", answering=old).says("yes").newest["Subject"]


def test_a_reminder_stays_while_its_clock_runs(table: Table) -> None:
    def reminders() -> list[str]:
        return [row["message_id"] for row in table.rows("outbox") if row["kind"] == "reminder"]

    erases_daily(table)
    people = begun(table, "alice", "bob", options="-forfeittime=100d")
    table.days_pass(60)
    asked = reminders()
    assert asked
    plays_next(table, people)
    table.days_pass(2)
    assert not {*asked} & {*reminders()}


def test_what_is_still_needed_stays(table: Table) -> None:
    """The mail that began a board names its thread; what failed waits for the operator."""
    erases_daily(table)
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4")
    bob.says("i9-g7,f6").says("pause 1")
    alice.says("accept pause 1")
    failed = next(row["id"] for row in table.rows("outbox") if row["board_id"] is None)
    with table.database.transaction() as work:
        work.outbox.fail(failed, "550 no", table.clock())
    table.days_pass(60)
    left = [row for row in table.rows("outbox") if row["finished_at"] < table.clock() - MAILS_KEPT]
    assert failed in [row["id"] for row in left]
    first = [row["message_id"] for row in left if row["id"] != failed]
    assert [name.startswith("<g1.p0.u") for name in first] == [True, True]
    bob.says("resume 1")
    alice.says("accept resume 1")
    for person in (alice, bob):
        named = [mail["Message-ID"] for mail in person.mails]
        assert len(named) == len(set(named))
    bob.says("resign 1").says("yes")
    table.days_pass(2)
    assert not [row for row in table.rows("outbox") if row["message_id"] in first]
