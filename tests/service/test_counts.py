"""How many statements and commits mails cost, alone and many at once, from the door to the post."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from sqlalchemy import event

from pbm.mail.smtp_in.connection_limits import UNKNOWN
from pbm.mail.smtp_out.delivery import Sent
from pbm.play.limits import MOST_TOGETHER
from pbm.service.post.post import Composer, Post
from pbm.service.running import rounds
from pbm.service.running.writer import Writer
from pbm.service.turns.inbox_worker import take_turns
from pbm.store.db import Database
from tests.polling import PATIENCE
from tests.serving import keeping, take_next
from tests.table import Table

MANY = 50
KEEPING = 4  # statements for a mail: is it known, is it one too many, the row, and what it holds
KEEPING_PLAIN = KEEPING + 1  # to the plain address: is it a player's?
# Of two mails' post: what is due, the record, what they hold is erased, what is due next; and on
# PostgreSQL their hold, a look whether they are due still, and the end of the hold.
POST = {"sqlite": 4, "postgresql": 7}
MOVE = "a1-c3,d4"
OF_A_CLOCK = 4  # statements that tell of one, at most


@dataclass
class Counted:
    """What the database was asked for."""

    commits: int = 0
    statements: list[str] = field(default_factory=list)


@contextmanager
def counted(table: Table) -> Iterator[Counted]:
    """Count the transactions that change something, and all statements."""
    found = Counted()
    wrote = set[object]()  # another connection may read and commit meanwhile

    def note(connection: object, _cursor: object, sql: str, *_: object) -> None:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            wrote.add(connection)
        if sql.split()[0] not in ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT"):
            found.statements.append(sql)

    def committed(connection: object) -> None:
        found.commits += connection in wrote
        wrote.discard(connection)

    engine = table.database.engine
    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", committed)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", note)
        event.remove(engine, "commit", committed)


class Threads:
    """A thread for the writer, whose first piece waits until it is told to go on."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1)
        self.may_go_on = threading.Event()

    async def run(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    def hold(self, _work: object) -> None:
        assert self.may_go_on.wait(PATIENCE)


def mails(table: Table, count: int) -> list[Callable[[Any], Any]]:
    """Pieces that keep so many mails of so many players."""
    pieces = []
    for number in range(count):
        sender = f"robot{number}@example.org"
        raw = f"From: {sender}\r\nMessage-ID: <{number}@x>\r\nAuto-Submitted: auto-replied\r\n\r\n"
        to = table.site.address.plain
        pieces.append(keeping(table.intake, sender, (to,), raw.encode(), UNKNOWN))
    return pieces


async def together(database: Database, pieces: list[Callable[[Any], Any]]) -> list[Any]:
    """Hand pieces to a writer that is busy until the last of them waits."""
    threads = Threads()
    writer = Writer(database, threads.run)
    busy = writer.do(threads.hold, slow=True)
    asked_for = [writer.do(piece) for piece in pieces]
    threads.may_go_on.set()
    done = await asyncio.gather(busy, *asked_for)
    threads.pool.shutdown()
    return list(done[1:])


def test_a_mail_alone_is_one_commit(table: Table) -> None:
    (piece,) = mails(table, 1)
    with counted(table) as found:
        asyncio.run(together(table.database, [piece]))
    assert found.commits == 1
    assert len(found.statements) <= KEEPING_PLAIN


def test_an_answer_takes_no_look_at_who_wrote_it(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    to = alice.newest.reply_to
    raw = alice.mail_bytes("", MOVE, to=to)
    with counted(table) as found:
        asyncio.run(
            together(table.database, [keeping(table.intake, alice.address, (to,), raw, UNKNOWN)])
        )
    assert found.commits == 1
    assert len(found.statements) <= KEEPING


def test_many_mails_at_once_are_one_commit(table: Table) -> None:
    with counted(table) as found:
        kept = asyncio.run(together(table.database, mails(table, MANY)))
    assert len(set(kept)) == MANY
    assert found.commits == 1
    assert len(found.statements) <= KEEPING_PLAIN * MANY


def test_a_turn_alone_is_a_commit_and_its_post_another(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    to = alice.newest.reply_to
    table.hand_in(alice.address, to, alice.mail_bytes("", MOVE, to=to))
    with counted(table) as turn:
        assert take_next(table.turns)
    assert turn.commits == 1
    with counted(table) as post:
        asyncio.run(posted(table))
    assert post.commits == 1
    assert len(post.statements) <= POST[table.database.engine.dialect.name]


async def posted(table: Table) -> None:
    """Send what is due, all of it recorded while the writer is busy."""
    post = Post(
        table.database, table.site, table.clock, _Takes(), Composer(table.site.address.plain)
    )
    due = post.claim()
    await together(
        table.database, [partial(post.record, outcomes=[(mail, Sent()) for mail in due])]
    )
    post.holds.let_go([mail.id for mail in due])
    post.next_due_at()
    post.holds.close()


class _Takes:
    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Sent:  # noqa: ARG002
        return Sent()

    async def close(self) -> None: ...


def test_many_turns_that_wait_share_few_commits(
    embedded: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "LOOK_AGAIN", float("inf"))  # what nobody tells of is none
    embedded.turns.seconds = lambda: 0.0  # no turn takes long
    asyncio.run(together(embedded.database, mails(embedded, MANY)))
    with counted(embedded) as found:
        asyncio.run(until_done(embedded))
    groups = -(-MANY // 16)
    assert found.commits == groups
    # A claim for each group, and a record in two tables for each mail: the turn of a robot's mail
    # itself asks for nothing.
    asked = [sql for sql in found.statements if "count(*)" not in sql]
    assert len(asked) <= groups + 2 * MANY


async def until_done(table: Table) -> None:
    """Let the loop take turns until the inbox is empty."""
    threads = Threads()
    threads.may_go_on.set()
    writer = Writer(table.database, threads.run)
    turns = take_turns(table.turns, writer, threads.run, asyncio.Event(), lambda: None)
    loop = asyncio.create_task(turns)
    async with asyncio.timeout(PATIENCE):
        while await threads.run(lambda: left(table)):
            await asyncio.sleep(0.01)
        await writer.idle()
    loop.cancel()
    await asyncio.wait([loop])
    threads.pool.shutdown()


def left(table: Table) -> int:
    with table.database.reading() as work:
        return work.inbox.count("new")


def test_a_mail_of_boards_asks_for_them_all_at_once(embedded: Table) -> None:
    alice, _ = embedded.start("alice", "bob")

    def statements() -> int:
        to = alice.newest.reply_to
        embedded.hand_in(alice.address, to, alice.mail_bytes("", "next", to=to))
        with counted(embedded) as found:
            assert take_next(embedded.turns)
        embedded.posts()
        return len(found.statements)

    embedded.begins("alice", "bob")
    few = statements()
    embedded.begins("alice", "bob", times=28)
    assert statements() <= few + (MOST_TOGETHER - 2) * OF_A_CLOCK
