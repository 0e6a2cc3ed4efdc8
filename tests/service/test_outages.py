"""Faults around us: the disk, the next server, the clock, a template; see `docs/faults.md`."""

import asyncio
from datetime import timedelta
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from sqlalchemy import event, select, update
from sqlalchemy.exc import OperationalError

from pbm.commands.families.play import PlayMove
from pbm.mail.smtp_out.delivery import Sent
from pbm.service.post import post
from pbm.service.running import rounds
from pbm.service.running.heartbeat import ClockWatch
from pbm.store.queues.inbox import Inbox
from pbm.store.schema.mails import outbox, outbox_contents
from tests.service.whole import Whole, World, gone
from tests.serving import broken, take_next
from tests.table import OPERATOR, START, Clock, Table

MOVE, ANSWER = "a1-c3,d4", "i9-g7,f6"


@pytest.fixture(autouse=True)
def no_long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for a fault to pass looks again soon."""
    monkeypatch.setattr(rounds, "DATABASE_PAUSE", 0.01)
    monkeypatch.setattr(post, "PAUSE", 0.01)


@pytest.fixture
def small(embedded: Table) -> Table:
    """A table on a disk of its own, which can be full."""
    return embedded


class Disk:
    """What SQLite may use of it."""

    def __init__(self, table: Table) -> None:
        self.is_full = False
        event.listen(table.database.engine, "checkout", self._bound)

    def _bound(self, connection: Any, *_: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        most = pages if self.is_full else 2**30
        connection.execute(f"PRAGMA max_page_count={most}")


def rows(table: Table, name: str, status: str) -> int:
    return sum(row["status"] == status for row in table.rows(name))


def to_of(person: Any) -> str:
    return str(person.mail("Abalone Board").reply_to)


# -- the disk ------------------------------------------------------------------------------------


def test_fault_disk_full_nothing_is_kept_nor_half_done_and_all_goes_on(small: Table) -> None:
    alice, _ = small.start("alice", "bob")
    disk, world = Disk(small), World()

    async def scene() -> None:
        async with Whole(small, world) as whole:
            disk.is_full = True
            before = len(small.rows("inbox"))
            long = "Hello! " * 2000  # needs pages of its own
            assert not await whole.keep(alice, "", f"{MOVE}\n{long}", to_of(alice))
            assert len(small.rows("inbox")) == before
            disk.is_full = False
            assert await whole.keep(alice, "", f"{MOVE}\n{long}", to_of(alice))
            await whole.until(lambda: len(world.arrived) == 2)

    asyncio.run(scene())
    assert small.moves(1) == ["a1-c3,b2"]


def test_fault_disk_full_in_a_turn_it_is_no_try_and_is_taken_later(small: Table) -> None:
    alice, _ = small.start("alice", "bob")
    long = "Hello! " * 5000
    small.hand_in(alice.address, to_of(alice), alice.mail_bytes("", f"{MOVE}\n{long}"))
    number = len(small.rows("inbox"))
    disk, world = Disk(small), World()
    disk.is_full = True
    looks = 0

    def looked() -> bool:
        nonlocal looks
        looks += 1
        return looks > 30

    async def scene() -> None:
        async with Whole(small, world) as whole:
            await whole.until(looked)
            mail = small.mail_kept(number)
            assert (mail.status, mail.tries) == ("new", 0)
            assert small.moves(1) == []
            assert not world.tried
            disk.is_full = False
            await whole.until(lambda: len(world.arrived) == 2)

    asyncio.run(scene())
    assert small.moves(1) == ["a1-c3,b2"]
    assert (small.mail_kept(number).status, small.mail_kept(number).tries) == ("done", 0)


# -- the next server -----------------------------------------------------------------------------


def test_fault_smarthost_gone_for_an_hour_all_arrives_after_it(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.hand_in(alice.address, to_of(alice), alice.mail_bytes("", MOVE, to=to_of(alice)))
    assert take_next(table.turns)
    world = World()
    world.answers = gone
    tries: dict[str, list[int]] = {}
    for minute in range(61):
        for recipient, _ in sent_now(table, world):
            tries.setdefault(recipient, []).append(minute)
        if minute == 20:  # the game goes on meanwhile
            table.hand_in(bob.address, to_of(bob), bob.mail_bytes("", ANSWER, to=to_of(bob)))
            assert take_next(table.turns)
        table.clock.passes(minutes=1)
    for minutes in tries.values():
        gaps = [later - earlier for earlier, later in pairwise(minutes)]
        for gap, usual in zip(gaps, [1, 2, 4, 8, 16], strict=True):
            assert usual <= gap <= usual * 5 / 4 + 1
        assert len(gaps) == 5
    world.answers = lambda _: Sent()
    for _ in range(61):
        sent_now(table, world)
        table.clock.passes(minutes=1)
    assert rows(table, "outbox", "due") == 0
    assert rows(table, "outbox", "failed") == 0
    for person in (alice, bob):
        plies = [raw for to, raw in world.arrived if to == person.address]
        assert [b"X-PBM-Ply: %d\r\n" % ply in raw for ply, raw in enumerate(plies, 1)] == [True] * 2
    assert len(set(world.message_ids())) == 4


def sent_now(table: Table, world: World) -> list[tuple[str, bytes]]:
    """Send what is due at this moment; return what was tried."""
    before = len(world.tried)

    async def scene() -> None:
        whole = Whole(table, world)
        for mail in (due := whole.post.claim()):
            (written,) = await whole.post.composer.write([mail])
            await whole.post.send(mail, written, whole.writer)
        assert len(due) < post.MOST_AT_ONCE
        whole.post.holds.close()

    asyncio.run(scene())
    return world.tried[before:]


def test_fault_slow_smarthost_holds_up_no_turn_and_no_other_mail(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    world = World()
    world.hangs_for = {bob.address}

    async def scene() -> None:
        async with Whole(table, world) as whole:
            assert await whole.keep(alice, "", MOVE, to_of(alice))
            await whole.until(lambda: [to for to, _ in world.arrived] == [alice.address])
            for subject in ("whoami", "help", "games"):
                assert await whole.keep(alice, subject, "", to_of(alice))
            await whole.until(lambda: len(world.arrived) == 4)
            assert [to for to, _ in world.tried].count(bob.address) == 1  # under way, not again
            world.may_go_on.set()
            await whole.until(lambda: len(world.arrived) == 5)

    asyncio.run(scene())
    assert {to for to, _ in world.arrived} == {person.address for person in people}
    assert len(set(world.message_ids())) == 5


# -- a template ----------------------------------------------------------------------------------


def test_fault_broken_template_one_mail_fails_and_the_operator_is_told(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    to = to_of(alice)
    table.hand_in(alice.address, to, alice.mail_bytes("", MOVE, to=to))
    assert take_next(table.turns)
    break_params(table, alice.address)
    world = World()

    async def scene() -> None:
        async with Whole(table, world) as whole:
            await whole.until(lambda: {to for to, _ in world.arrived} >= {bob.address, OPERATOR})
            assert await whole.keep(bob, "whoami", "", to_of(bob))
            await whole.until(lambda: len(world.arrived) == 3)

    asyncio.run(scene())
    assert sorted(to for to, _ in world.arrived) == sorted([bob.address, bob.address, OPERATOR])
    (failed,) = [row for row in table.rows("outbox") if row["status"] == "failed"]
    assert failed["recipient"] == alice.address
    assert "UndefinedError" in failed["last_error"]
    (told,) = [raw for to, raw in world.arrived if to == OPERATOR]
    assert f"o{failed['id']} could not be sent".encode() in told


def break_params(table: Table, address: str) -> None:
    """Let a template miss what it asks for, as it would after a bad change."""
    with table.database.engine.begin() as connection:
        due = (outbox.c.status == "due") & (outbox.c.recipient == address)
        held = outbox_contents.c.message_id.in_(select(outbox.c.message_id).where(due))
        connection.execute(update(outbox_contents).where(held).values(params={}))


# -- the clock -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [timedelta(days=1), timedelta(minutes=50)])
def test_fault_clock_ahead_and_back_loses_nothing(table: Table, ahead: timedelta) -> None:
    alice, bob = table.start("alice", "bob")
    world = World()
    world.answers = gone

    def tries() -> list[int]:
        return [row["attempts"] for row in table.rows("outbox") if row["status"] == "due"]

    async def scene() -> None:
        async with Whole(table, world) as whole:
            table.clock.passes(seconds=ahead.total_seconds())
            assert await whole.keep(alice, "", MOVE, to_of(alice))
            await whole.until(lambda: tries() == [1, 1])  # both were put off by a minute
            world.answers = lambda _: Sent()
            table.clock.passes(seconds=-ahead.total_seconds())
            await whole.until(lambda: len(world.arrived) == 2)
            assert await whole.keep(bob, "", ANSWER, to_of(bob))
            await whole.until(lambda: len(world.arrived) == 4)

    asyncio.run(scene())
    assert len(table.moves(1)) == 2
    assert rows(table, "outbox", "due") == rows(table, "inbox", "new") == 0


def test_fault_clock_ahead_gives_up_no_mail_and_no_claim(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.hand_in(alice.address, to_of(alice), alice.mail_bytes("", MOVE, to=to_of(alice)))
    assert take_next(table.turns)
    world = World()
    world.answers = gone
    assert len(sent_now(table, world)) == 2
    table.clock.passes(days=30)
    assert len(sent_now(table, world)) == 2  # tried again at once, and not given up
    assert rows(table, "outbox", "failed") == 0
    table.clock.passes(days=-30)
    world.answers = lambda _: Sent()

    async def scene() -> None:
        async with Whole(table, world) as whole:
            await whole.until(lambda: len(world.arrived) == 2)

    asyncio.run(scene())


def test_fault_clock_back_what_is_held_for_a_player_goes_on_waiting(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    with table.database.transaction() as work:
        work.players.change(
            1, bounces=0, bounced_at=START, unreachable_since=START
        )  # mail to alice comes back: a day's pause
    table.hand_in(bob.address, to_of(bob), bob.mail_bytes("", "Hello!", to=to_of(bob)))
    assert take_next(table.turns)
    world = World()
    with table.database.transaction() as work:
        work.outbox.bring_forward(table.clock())
    assert {to for to, _ in sent_now(table, world)} == {bob.address}
    table.clock.passes(days=1)
    assert {to for to, _ in sent_now(table, world)} == {alice.address}


def test_a_clock_that_goes_back_is_noticed_once() -> None:
    clock = Clock()
    watch = ClockWatch(clock)
    assert watch.went_back()  # perhaps, while nobody looked
    steps = [(5, False), (-0.5, False), (0.1, False), (-600, True), (1, False), (-1, False)]
    for minutes, noticed in steps:
        clock.passes(minutes=minutes)
        assert watch.went_back() is noticed


# -- the database --------------------------------------------------------------------------------


@pytest.mark.on_postgresql
def test_fault_database_gone_while_a_try_is_counted_ends_no_role(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = table.start("alice", "bob")
    world, away = World(), [True]

    def counted(self: Inbox, inbox_id: int, error: str) -> int:
        if away:
            away.pop()
            raise OperationalError("", None, psycopg.OperationalError("gone"))
        return count_try(self, inbox_id, error)

    count_try = Inbox.count_try
    monkeypatch.setattr(PlayMove, "run", broken)
    monkeypatch.setattr(Inbox, "count_try", counted)

    async def scene() -> None:
        async with Whole(table, world) as whole:
            assert await whole.keep(alice, "", MOVE, to_of(alice))
            await whole.until(lambda: rows(table, "inbox", "stuck") == 1)
            assert await whole.keep(bob, "whoami", "", to_of(bob))
            await whole.until(lambda: bob.address in {to for to, _ in world.arrived})

    asyncio.run(scene())
    assert not away
    assert table.mail_kept(max(row["id"] for row in table.rows("inbox")) - 1).tries == 3
