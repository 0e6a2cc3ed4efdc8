"""What became of mails is written down together, and what is in the way of one stops no other."""

import asyncio
from collections.abc import Sequence
from itertools import count

import pytest
from sqlalchemy import event

from pbm.mail.smtp_out.delivery import Delivery, Failed, Sent
from pbm.service.post.post import Composer, Outcome, Post, Recording
from pbm.service.running.writer import Writer, here
from pbm.store.db import UnitOfWork
from tests.polling import PATIENCE
from tests.serving import take_next
from tests.table import SERVER, Table

MANY = 12


class World:
    """Takes all mails at one moment, but those to somebody who is nobody."""

    def __init__(self, mails: int, table: Table) -> None:
        self._all_here = asyncio.Barrier(mails)
        self._moments = count(1)
        self._table = table

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:  # noqa: ARG002
        """Wait for all others."""
        await self._all_here.wait()
        return Failed("550 nobody") if recipient.startswith("nobody") else Sent()

    async def close(self) -> None:
        """Nothing is open."""


class OneByOne(World):
    """Takes each mail a moment after the one before."""

    async def deliver(self, *_: object) -> Delivery:
        """Wait for those before."""
        for _ in range(next(self._moments)):
            await asyncio.sleep(0)
        return Sent()


class SlowForOne(World):
    """Takes one mail only when all others are recorded."""

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:  # noqa: ARG002
        """Wait, if it is that one."""
        while recipient.startswith("slow") and statuses(self._table).count("due") > 1:
            await asyncio.sleep(0)
        return Sent()


def write(table: Table, *names: str) -> None:
    """Somebody writes to the server once, and gets an answer."""
    for name in names:
        person = table.person(f"{name}@of-{name}.example")
        table.hand_in(person.address, SERVER, person.mail_bytes("", "help", to=SERVER))
    while take_next(table.turns):
        pass


def send_all(table: Table, post_of: type[Post] = Post, world_of: type[World] = World) -> list[str]:
    """Send what is due, all of it at once; return what was changed, by statement."""
    changes: list[str] = []

    def note(_c: object, _cursor: object, sql: str, *_: object) -> None:
        if sql.startswith("UPDATE outbox"):
            changes.append(sql)

    async def scene() -> None:
        due = len([row for row in table.rows("outbox") if row["status"] == "due"])
        world = world_of(due, table)
        post = post_of(table.database, table.site, table.clock, world, Composer(SERVER))
        writer = Writer(table.database, here)
        mails = (await post.look(here)).mails
        assert len(mails) == due
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(post.send(mail, written, writer) for mail, written in mails))
        post.holds.close()

    event.listen(table.database.engine, "before_cursor_execute", note)
    asyncio.run(scene())
    event.remove(table.database.engine, "before_cursor_execute", note)
    return changes


def statuses(table: Table) -> list[str]:
    return [row["status"] for row in table.rows("outbox")]


def test_what_is_sent_at_once_is_recorded_at_once(table: Table) -> None:
    write(table, *(f"person{number}" for number in range(MANY)))
    assert len(send_all(table)) <= 2  # the first perhaps by itself, and all that came meanwhile
    assert statuses(table) == ["sent"] * MANY
    assert table.rows("outbox_contents") == []


def test_what_is_sent_in_one_moment_is_recorded_at_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm.service.post.post.GATHER", PATIENCE)
    write(table, *(f"person{number}" for number in range(MANY)))
    assert len(send_all(table, world_of=OneByOne)) == 1
    assert statuses(table) == ["sent"] * MANY


@pytest.mark.parametrize(("gather", "enough"), [(0.001, 100), (PATIENCE, 2)])
def test_no_record_waits_long_for_another_mail(
    table: Table, monkeypatch: pytest.MonkeyPatch, gather: float, enough: int
) -> None:
    monkeypatch.setattr("pbm.service.post.post.GATHER", gather)
    monkeypatch.setattr("pbm.service.post.post.ENOUGH", enough)
    write(table, "person", "slow", "another")
    send_all(table, world_of=SlowForOne)
    assert statuses(table) == ["sent"] * 3


def test_a_refused_mail_is_recorded_apart(table: Table) -> None:
    write(table, "person", "nobody", "another")
    send_all(table)
    assert statuses(table)[:3] == ["sent", "failed", "sent"]


def test_a_fault_in_one_record_stops_no_other(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm.service.post.post.PAUSE", 0)
    write(table, "person", "unlucky", "another")
    send_all(table, Breaking)
    assert statuses(table) == ["sent", "due", "sent"]


@pytest.mark.parametrize("most", [2, 1], ids=["together", "each alone"])
def test_whoever_leaves_lets_no_other_wait_for_ever(table: Table, most: int) -> None:
    write(table, "person", "another")
    recorded: list[str] = []

    def record(_: UnitOfWork, outcomes: Sequence[Outcome]) -> None:
        if len(outcomes) > most:
            raise ValueError("too many at once")
        recorded.extend(mail.recipient for mail, _ in outcomes)

    async def scene() -> None:
        writer = Writer(table.database, here)
        together = Recording(record, lambda: True)
        post = Post(table.database, table.site, table.clock, World(1, table), Composer(SERVER))
        mails = [mail for mail, _ in (await post.look(here)).mails]
        waiting = [asyncio.create_task(together.note((mail, Sent()), writer)) for mail in mails]
        await asyncio.sleep(0)  # all are noted
        waiting[0].cancel()
        async with asyncio.timeout(PATIENCE):
            await waiting[1]
        assert waiting[0].cancelled()
        post.holds.close()

    asyncio.run(scene())
    assert recorded == ["person@of-person.example", "another@of-another.example"]


class Breaking(Post):
    """It cannot write down what became of one mail."""

    def record(self, work: UnitOfWork, outcomes: Sequence[Outcome]) -> None:
        """Write down what became of the others."""
        super().record(work, outcomes)
        if any(mail.recipient.startswith("unlucky") for mail, _ in outcomes):
            raise ZeroDivisionError("a planted bug")
