"""Any number of watchers costs a board's turns nothing, and each is told of everything once."""

import pytest
from sqlalchemy import insert

from pbm.store.schema.happened import watched, watchings
from pbm.store.schema.people import addresses, players
from pbm.store.values.happened import How
from tests.service.test_counts import counted
from tests.service.test_dying_ticks import dies
from tests.serving import tick_next
from tests.table import START, Table

MOVES = ("a1-c3,b2", "i5-g5,h5", "a2-c4,b3", "i6-g6,h6")
MANY = [130, pytest.param(2000, marks=pytest.mark.thorough)]


def watch(table: Table, count: int) -> list[str]:
    """Let new players watch board 1: at once, daily, and only its end, by turns."""
    names = [f"w{number}" for number in range(count)]
    hows = [(How.MOVES, How.DAILY, How.END)[number % 3] for number in range(count)]
    with table.database.engine.begin() as connection:
        kept = {"status": "active", "epoch": 1, "joined_at": START, "settings": {"picture": False}}
        ids = [
            connection.scalar(insert(players).values(handle=name, **kept).returning(players.c.id))
            for name in names
        ]
        address = [f"{name}@example.org" for name in names]
        connection.execute(
            insert(addresses),
            [
                {"player_id": one, "address": it, "address_key": it, "verified_at": START}
                for one, it in zip(ids, address, strict=True)
            ],
        )
        connection.execute(
            insert(watchings),
            [
                {"watcher_id": one, "board_id": 1, "how": how, "since": START}
                for one, how in zip(ids, hows, strict=True)
            ],
        )
        connection.execute(
            insert(watched), [{"watcher_id": one, "board_id": 1, "seen": 1} for one in ids]
        )
    with table.database.transaction() as work:
        at = table.clock()
        for one in ids:
            work.timers.set("watcher", str(one), at, at.replace(hour=19), player_id=one)
    return address


@pytest.mark.parametrize("count", MANY)
def test_each_is_told_once_though_the_server_dies(embedded: Table, count: int) -> None:
    alice, bob = embedded.start("alice", "bob")
    people = watch(embedded, count)
    alice.says(MOVES[0])
    bob.says(MOVES[1])
    embedded.clock.passes(minutes=2)
    for what, at in (("commit", 1), ("before_cursor_execute", 3), ("before_cursor_execute", 7)):
        assert dies(embedded, what, at)
        assert tick_next(embedded.ticks)  # a batch between the deaths
        embedded.clock.passes(seconds=1)
    embedded.days_pass(minutes=30)
    told = [len(embedded.mailboxes.get(address, ())) for address in people]
    assert told == [int(number % 3 == 0) for number in range(count)]
    embedded.clock.passes(hours=8)
    assert dies(embedded, "commit", 1)
    embedded.days_pass(hours=1)
    told = [len(embedded.mailboxes.get(address, ())) for address in people]
    assert told == [int(number % 3 < 2) for number in range(count)]
    alice.says("resign")
    embedded.days_pass(2)
    for number, address in enumerate(people):
        mails = embedded.mailboxes[address]
        assert len(mails) == (1 if number % 3 == 2 else 2)
        assert "Board 1 is over: bob wins." in mails[-1].text
        assert len({mail["Message-ID"] for mail in mails}) == len(mails)
        assert (f"bob played {MOVES[1]}." in mails[0].text) == (number % 3 != 2 or len(mails) == 1)
    assert not embedded.rows("watchings")


@pytest.mark.parametrize("count", MANY)
def test_a_turn_costs_no_more(table: Table, count: int) -> None:
    alice, bob = table.start("alice", "bob")
    for person, move in ((alice, MOVES[0]), (bob, MOVES[1])):
        person.says(move)
    with counted(table) as alone:
        alice.says(MOVES[2])
    watch(table, count)
    with counted(table) as beside:
        bob.says(MOVES[3])
    timer = [sql for sql in beside.statements if sql.startswith("INSERT INTO due")]
    assert len(timer) == 1
    assert len(beside.statements) - len(alone.statements) <= len(timer)
