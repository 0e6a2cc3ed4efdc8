"""Several processes on one PostgreSQL: what is due is done once, and a move and a forfeit of the
same moment never both happen."""

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Barrier, Event
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from pbm.play import actions
from pbm.service.telling.later import SOON
from pbm.service.ticks.jobs import Ticks
from pbm.store.db import Database
from pbm.store.repositories.plies import Playing
from tests.conversations.playing import board_mail
from tests.conversations.test_clocks import begun
from tests.polling import PATIENCE, together, until
from tests.run_out import let_remind, let_run_out
from tests.serving import take_next
from tests.table import Person, Table

MOVE = "c3,d3"
BOARDS = 12


def tick_all(table: Table, most: int = 1, begin: Barrier | None = None) -> None:
    """Do what is due as another process does it, until nothing is left."""
    database = Database(str(table.database.engine.url.render_as_string(hide_password=False)))
    ticks = Ticks(database, table.site, table.clock)
    ticks.claims.most = most
    if begin:
        begin.wait()
    going_on = 1
    while going_on:  # where two have waited for each other, the loser tries again
        with suppress(OperationalError), database.transaction() as work:
            going_on = sum(ticks.take_next(work) for _ in range(most))
    database.close()


def test_each_reminder_and_each_forfeit_is_done_once(shared: Table) -> None:
    alice, bob = begun(shared, "alice", "bob", vacation=True)
    shared.begins("alice", "bob", times=2 * BOARDS - 1)
    with shared.database.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET last_ply = 1"))  # as if all had moved
        let_remind(connection, shared.clock(), range(1, BOARDS + 1))
        let_run_out(connection, shared.clock(), range(BOARDS + 1, 2 * BOARDS + 1))
    alice.forgets(), bob.forgets()
    begin = Barrier(3)
    together(*(partial(tick_all, shared, most, begin) for most in (1, 2, 4)))
    assert not [row for row in shared.rows("due") if row["due_at"] <= shared.clock()]
    shared.posts()
    for person in (alice, bob):
        assert not told(person, "is over: you ")  # which wait for each other
    shared.days_pass(SOON / timedelta(days=1))
    times = reminded(shared)
    assert {number: times[number] for number in each(range(1, BOARDS + 1))} == each(
        range(1, BOARDS + 1)
    )
    for person in (alice, bob):
        assert told(person, "is over: you ") == each(range(BOARDS + 1, 2 * BOARDS + 1))
    bob.gets(1)
    left = [item.how for number in shared.boards() for item in shared.departures(number)]
    assert left == ["forfeited"] * BOARDS


def told(person: Person, words: str) -> Counter[str]:
    """How often somebody's mails say these words of each board."""
    texts = " ".join(" ".join(mail.text.split()) for mail in person.arrived)
    return Counter(re.findall(rf"Board (\d+) {re.escape(words)}", texts))


def reminded(table: Table) -> Counter[str]:
    """How many reminders there are of each board; one may count for several."""
    alone = [row["board_id"] for row in table.rows("outbox") if row["kind"] == "reminder"]
    together = [row["board_id"] for row in table.rows("reminded_boards")]
    return Counter(map(str, alone + together))


def each(numbers: range) -> dict[str, int]:
    """One of each board."""
    return {str(number): 1 for number in numbers}


@pytest.fixture(params=["", "-bank=30d+1d"])
def late(request: pytest.FixtureRequest, shared: Table) -> list[Person]:
    """Alice and bob, whose board waits for a move of alice's that has come too late: more than an
    hour after the end.

    A clock with a bank is set anew by each move, so that such a turn wants the timer, too.
    """
    people = begun(shared, "alice", "bob", options=request.param)
    shared.days_pass(20.9)
    shared.clock.passes(days=0.15)
    alice = people[0]
    for person in people:
        person.forgets()
    to = board_mail(alice, 1).reply_to
    shared.hand_in(alice.address, to, alice.mail_bytes("", MOVE, to=to))
    return people


def blocked(table: Table) -> bool:
    """Whether somebody waits for a lock, or a mail was put aside instead."""
    with table.database.engine.connect() as connection:
        found = connection.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted"))
        aside = "SELECT count(*) FROM inbox WHERE status = 'new' AND aside_until IS NOT NULL"
        found += connection.scalar(text(aside))
    return bool(found)


def held_inside(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, table: Table) -> Event:
    """Let whoever has called this first hold its locks until somebody waits for one of them; tells
    when it has them."""
    original, has_them = getattr(owner, name), Event()

    def holding(*args: Any, **kwargs: Any) -> Any:
        outcome = original(*args, **kwargs)
        if not has_them.is_set():
            has_them.set()
            until(lambda: blocked(table), "the other to wait for the board")
        return outcome

    monkeypatch.setattr(owner, name, holding)
    return has_them


def after(event: Event, piece: Callable[[], Any]) -> Callable[[], None]:
    def wait_and_do() -> None:
        assert event.wait(PATIENCE)
        piece()

    return wait_and_do


def test_a_forfeit_that_has_the_board_wins(
    shared: Table, late: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = late
    has_it = held_inside(monkeypatch, actions, "leave_board", shared)
    together(lambda: tick_all(shared), after(has_it, lambda: take_next(shared.turns)))
    shared.clock.passes(seconds=1)  # the mail was put aside
    take_next(shared.turns)
    shared.posts()
    assert len(shared.moves(1)) == 2
    assert [item.how for item in shared.departures(1)] == ["forfeited"]
    bob.gets(1).hears("Board 1 is over: you win.", "alice ran out of time")
    alice.gets(2).hears("Board 1 is over: you lost.", "You ran out of time on board 1")
    assert not [row for row in shared.rows("due") if row["board_id"]]


def test_a_move_that_has_the_board_wins(
    shared: Table, late: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = late
    has_it = held_inside(monkeypatch, Playing, "add_ply", shared)
    together(lambda: take_next(shared.turns), after(has_it, lambda: tick_all(shared)))
    shared.posts()
    assert len(shared.moves(1)) == 3
    assert not shared.departures(1)
    bob.gets(1).hears("Your move on board 1", f"alice played {MOVE}.")
    alice.gets(1).hears("bob's move on board 1")
    assert shared.board(1).playing
    (row,) = [row for row in shared.rows("due") if row["board_id"]]
    assert row["due_at"] > shared.clock()
