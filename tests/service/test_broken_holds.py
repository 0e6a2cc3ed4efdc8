"""The post, when the connection that holds its mails breaks: each of them is still sent."""

import asyncio
from dataclasses import dataclass, field

from sqlalchemy import text

from pbm.mail.smtp_out.delivery import Deferred, Delivery, Sent
from pbm.service.post.post import Composer, Post
from pbm.service.running.writer import Writer, here
from pbm.store.db import Database
from tests.serving import take_next
from tests.table import SERVER, Table

_END_ALL_OTHERS = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@dataclass
class Cutting:
    """While the first mail is under way PostgreSQL ends all connections, and it is not taken."""

    url: str
    taken: list[str] = field(default_factory=list)
    has_cut: bool = False

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:  # noqa: ARG002
        """Take a mail, but not the first."""
        if not self.has_cut:
            self.has_cut = True
            database = Database(self.url)
            with database.transaction() as work:
                work.execute(_END_ALL_OTHERS)
            database.close()
            return Deferred("not now")
        self.taken.append(recipient)
        return Sent()

    async def close(self) -> None:
        """Nothing is open."""


def test_promise_05_a_mail_whose_hold_broke_is_tried_again(
    shared: Table, postgres_url: str
) -> None:
    transport = Cutting(postgres_url)
    post = Post(shared.database, shared.site, shared.clock, transport, Composer(SERVER))
    writer = Writer(shared.database, here)
    alice, bob = shared.start("alice", "bob")
    to = alice.mail("Abalone Board").reply_to
    shared.hand_in(alice.address, to, alice.mail_bytes("", "a1-c3,d4", to=to))
    assert take_next(shared.turns)

    async def send_due() -> int:
        mails = (await post.look(here)).mails  # at once, though what held them is gone
        for mail, written in mails:
            await post.send(mail, written, writer)
        return len(mails)

    assert asyncio.run(send_due()) == 2
    shared.clock.passes(minutes=1)
    assert asyncio.run(send_due()) == 1
    assert sorted(transport.taken) == sorted([alice.address, bob.address])
    assert asyncio.run(send_due()) == 0
    post.holds.close()
