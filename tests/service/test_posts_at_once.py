"""Two processes send mails from one database: each mail goes out once, by one of them."""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event

from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent
from pbm.service.post.post import Composer, Post, Recording
from pbm.service.running.writer import Writer, here
from pbm.store.db import Database, UnitOfWork
from pbm.store.queues.outbox import Outbox
from pbm.store.values.mails import Kind, NewMail, OutboxMail, OutboxStatus
from tests.conversations.playing import plays_on
from tests.conversations.test_bounces import report
from tests.growth import SendingTable
from tests.table import SERVER, Table


@pytest.fixture
def table(postgres_url: str) -> Iterator[SendingTable]:
    """A table with three mails to be sent."""
    table = SendingTable(postgres_url)
    now = table.clock()
    with table.database.transaction() as work:
        work.outbox.add(*(_mail(number, now) for number in (1, 2, 3)))
    yield table
    table.leave()


@pytest.fixture
def other(table: SendingTable) -> Iterator[Post]:
    """The post of another process."""
    database = Database(str(table.database.engine.url))
    post = Post(database, table.site, table.clock, table.post.transport, Composer(SERVER))
    yield post
    post.holds.close()
    database.close()


def _mail(number: int, now: datetime, kind: Kind = Kind.ANSWER, **about: int) -> NewMail:
    raw = b64encode(f"Subject: {number}\r\n\r\nHello!\r\n".encode()).decode()
    whose: dict[str, Any] = {"player_id": None, "board_id": None, "inbox_id": None, **about}
    return NewMail(
        kind=kind,
        recipient=f"person{number}@example.org",
        template="raw",
        params={"raw": raw},
        headers={},
        message_id=f"<{number}@x>",
        sender="",
        written_at=now,
        **whose,
    )


def numbers(mails: Sequence[OutboxMail]) -> list[int]:
    return [mail.id for mail in mails]


class World:
    """Takes each mail, and says how often."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:  # noqa: ARG002
        """Take it."""
        self.taken.append(recipient)
        return Sent()

    async def close(self) -> None:
        """Nothing is open."""


def test_a_mail_is_claimed_by_one_process(table: SendingTable, other: Post) -> None:
    assert numbers(table.post.claim()) == [1, 2, 3]
    assert other.claim() == []
    assert other.holds.take([1, 2, 3]) == set()
    table.post.holds.close()  # as if that process had died
    assert numbers(other.claim()) == [1, 2, 3]


def test_a_mail_is_claimed_once(table: SendingTable, other: Post, embedded: Table) -> None:
    """What a process has in hand it passes over, whose own lock would not keep it away."""
    assert numbers(table.post.claim()) == [1, 2, 3]
    assert table.post.claim() == []
    with embedded.database.transaction() as work:
        work.outbox.add(_mail(1, table.clock()))
    alone = Post(embedded.database, table.site, table.clock, other.transport, other.composer)
    assert (numbers(alone.claim()), alone.claim()) == ([1], [])


@pytest.mark.parametrize("how", ["sent", "deferred"])
def test_what_another_has_sent_between_query_and_lock_is_not_sent_again(
    how: str, table: SendingTable, other: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = table.post.holds.take

    def late(outbox_ids: Sequence[int]) -> frozenset[int]:
        with other.database.transaction() as work:
            if how == "sent":
                work.outbox.finish([2], OutboxStatus.SENT, table.clock())
            else:
                work.outbox.defer(2, "451", table.clock() + timedelta(minutes=1))
        return take(outbox_ids)

    monkeypatch.setattr(table.post.holds, "take", late)
    assert numbers(table.post.claim()) == [1, 3]
    assert other.holds.take([1, 2, 3]) == {2}, "let go, but only that one"


def test_what_cannot_be_looked_at_again_is_let_go(
    table: SendingTable, other: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Outbox, "still_due", away)
    with suppress(ZeroDivisionError):
        table.post.claim()
    assert other.holds.take([1, 2, 3]) == {1, 2, 3}


def test_what_is_sent_is_let_go(table: SendingTable, other: Post) -> None:
    world = other.transport = World()

    async def send_all() -> None:
        writer = Writer(other.database, here)
        mails = (await other.look(here)).mails
        await asyncio.gather(*(other.send(mail, written, writer) for mail, written in mails))

    asyncio.run(send_all())
    assert len(world.taken) == 3
    assert table.post.holds.take([1, 2, 3]) == set()
    assert other.claim() == []  # looks again, and lets go before that
    assert table.post.holds.take([1, 2, 3]) == {1, 2, 3}


def test_one_outcome_is_recorded_at_a_time(table: SendingTable) -> None:
    """Else two transactions of one process could wait for each other's rows."""
    at_work, most = 0, 0

    class Slow(Writer):
        async def do(self, piece: Callable[[UnitOfWork], Any]) -> Any:  # noqa: ARG002
            nonlocal at_work, most
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            at_work -= 1

    async def record_all() -> None:
        recording = Recording(lambda *_: None)
        outcomes: list[Delivery] = [Failed("550"), Deferred("451"), Sent()]
        mails = zip(table.post.claim(), outcomes, strict=True)
        writer = Slow(table.database, here)
        await asyncio.gather(*(recording.note(outcome, writer) for outcome in mails))

    asyncio.run(record_all())
    assert (at_work, most) == (0, 1)


def test_a_refused_mail_and_an_old_reminder_lock_what_they_change(table: SendingTable) -> None:
    alice, _ = table.start("alice", "bob")
    plays_on(table, 1, 2)  # it is alice's move, and no first one
    mine, theirs = (table.player(name) for name in ("alice", "bob"))
    assert mine
    assert theirs
    with table.database.transaction() as work:
        work.boards.change(1, reminded=2)
        for player in (mine, theirs):
            its = {"player_id": player.id, "board_id": 1}
            work.outbox.add(_mail(player.id + 7, table.clock(), Kind.REMINDER, **its))
        of_mine, of_theirs = (mail for mail in work.outbox.waiting() if mail.kind == Kind.REMINDER)
    refused = replace(of_mine, recipient=alice.address)
    found: list[str] = []
    for mail, outcome, reminded in (
        (of_theirs, None, 2),  # it is not their move any more
        (of_mine, None, 0),
        (refused, Failed("550", "5.1.1"), 0),
    ):
        with table.database.transaction() as work, heard(table.database) as sql:
            table.post.record(work, [(mail, outcome)])
        found.append(" ".join(line for line in sql if "FOR NO KEY UPDATE" in line))
        assert table.board(1).reminded == reminded
    assert ["FROM boards" in found[0], "FROM boards" in found[1]] == [True, True]
    assert "FROM players" in found[2]
    assert "FROM boards" in found[2]


def test_a_report_locks_the_player(table: SendingTable) -> None:
    alice = table.joins("alice")
    with heard(table.database) as sql:
        report(table, alice.newest, "postfix-unknown-user")
    locks = [line for line in sql if "FOR NO KEY UPDATE" in line]
    assert any("FROM players" in line for line in locks)


@contextmanager
def heard(database: Database) -> Iterator[list[str]]:
    """The statements that the database hears of, each on one line."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        found.append(" ".join(sql.split()))

    event.listen(database.engine, "before_cursor_execute", note)
    yield found
    event.remove(database.engine, "before_cursor_execute", note)
