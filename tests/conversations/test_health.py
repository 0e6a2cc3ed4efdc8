"""What has become red is mailed to the operator: once, and at most once a day."""

from datetime import timedelta

import pytest

from pbm.service.health.results import CheckResult
from pbm.service.running.heartbeat import LISTEN, POST, ROLES, TICKS, Heart
from pbm.store.repositories.server_state import Heartbeats
from pbm.store.values.queues import TimerKind
from tests.table import OPERATOR, Table

FULL = CheckResult(False, "disk", "0.1 MB are free at /srv. Make room.")


def looks_on(table: Table, *roles: str, times: int = 1) -> int:
    """Let so many looks go by while `roles` are alive; return how many mails the operator gets."""
    before = len(table.person(OPERATOR).mails)
    for _ in range(times):
        table.days_pass(minutes=9.5)
        with table.database.transaction() as work:
            work.heartbeats.forget_dead(table.clock() + timedelta(days=1))
            Heart(table.clock, roles).beat(work)
        table.days_pass(minutes=0.5)
    return len(table.person(OPERATOR).mails) - before


def test_the_operator_is_told_what_is_red(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Heartbeats, "clock_ahead", lambda *_: None)  # this clock is no real one
    alive = [role for role in ROLES if role != POST]
    now = table.clock()
    with table.database.transaction() as work:
        work.timers.set(TimerKind.HEALTH, "", now, now + timedelta(minutes=10))
    assert looks_on(table, *ROLES, times=3) == 0
    assert looks_on(table, *alive) == 0  # a process may just be starting again
    assert looks_on(table, *alive) == 1
    mail = table.person(OPERATOR).newest
    assert mail["Subject"] == "pbm: needs a look: role post"
    assert "| role post: No process runs it." in mail.text
    assert looks_on(table, *alive, times=2) == 0
    table.ticks.look_at_machine = lambda: [FULL]
    assert looks_on(table, *alive, times=3) == 0  # it waits until a day after the last mail
    table.clock.passes(days=1)
    assert looks_on(table, *alive) == 1
    mail = table.person(OPERATOR).newest
    assert mail["Subject"] == "pbm: needs a look: disk"
    assert "role post" not in mail.text
    table.ticks.look_at_machine = list
    table.clock.passes(days=1)
    assert looks_on(table, *ROLES, times=2) == 0
    assert looks_on(table, LISTEN, times=3) == 0  # who looks is alive: the clock has jumped
    assert looks_on(table, TICKS, times=2) == 1  # good for a while, and red again
    assert "role post" in table.person(OPERATOR).newest["Subject"]
    table.clock.passes(days=400)
    table.ticks.look_at_machine = lambda: [FULL]
    assert looks_on(table, *ROLES, times=2) == 1
    table.clock.passes(days=-400)
    table.ticks.look_at_machine = list
    with table.database.transaction() as work:
        work.timers.bring_forward(table.clock())
    assert looks_on(table, *alive, times=2) == 1  # the last mail has a time that has not come yet
