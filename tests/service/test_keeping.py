"""Mails that several processes keep at once."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from threading import Barrier

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.service.intake.door import Door
from pbm.service.intake.keeping import Arriving, MailRates
from pbm.service.running.writer import Writer, here
from tests.polling import together
from tests.table import Table

STRANGER = "stranger@example.net"
ROUNDS = 20


class UndoneError(Exception):
    """So that a transaction leaves nothing."""


def mail(
    table: Table, author: str, to: Sequence[str], name: str, *, peer: str = "127.0.0.1"
) -> Arriving:
    """A mail as it comes to the door; mails of one name and author are copies."""
    raw = f"From: {author}\r\nMessage-ID: <{name}.{author}>\r\n\r\nwhoami\r\n".encode()
    return table.intake.look_at(author, tuple(to), raw, Caller(peer))


def test_mails_of_the_same_players_never_wait_for_each_other_for_good(shared: Table) -> None:
    people = shared.start("alice", "bob", "carol", "dave")
    group = [mail(shared, one.address, [one.newest.reply_to], "m") for one in people]
    begin = Barrier(2)

    def keep(order: Callable[[list[Arriving]], list[Arriving]], name: str) -> None:
        for number in range(ROUNDS):
            mails = [replace(one, digest=f"{name}.{number}.{one.digest[:8]}") for one in group]
            begin.wait()
            with shared.database.transaction() as work:
                kept = [shared.intake.keep_arrived(work, one) for one in order(mails)]
            assert all(isinstance(text, str) for text in kept)

    together(partial(keep, list, "one"), partial(keep, lambda mails: mails[::-1], "other"))
    assert len(shared.rows("inbox")) >= 2 * ROUNDS * len(group)


def counted_replies(table: Table) -> float:
    """How many tokens were taken for answers."""
    left = [row["tokens"] for row in table.rows("buckets") if row["key"].startswith("replies:")]
    return sum(MailRates.per_address - tokens for tokens in left)


def test_no_mail_waits_for_another_process_that_counts(shared: Table) -> None:
    alice, bob = shared.start("alice", "bob")
    mails = [mail(shared, one.address, [one.newest.reply_to], "m") for one in (alice, bob)]
    later = [replace(one, digest=f"later.{one.digest[:8]}") for one in mails]
    before = counted_replies(shared)
    with shared.database.transaction() as one, shared.database.transaction() as other:
        kept = [shared.intake.keep_arrived(one, item) for item in mails]
        kept += [shared.intake.keep_arrived(other, item) for item in later]
    assert len(set(kept)) == 4
    assert counted_replies(shared) == before + len(mails)


def test_networks_from_which_players_have_answered_are_known(embedded: Table) -> None:
    """Whichever mail of ours they have answered; strangers' networks are not, nor an answer's to a
    question."""
    networks = [f"192.0.{number}.0/24" for number in range(4)]
    embedded.network = networks[0]
    alice, _ = embedded.joins("alice"), embedded.joins("bob")  # each with a yes to a question
    for embedded.network, words in zip(networks[1:3], ("challenge bob", "resign 1"), strict=True):
        alice.says(words)
    door = Door(embedded.intake, embedded.database, here, Writer(embedded.database, here), here)

    async def known() -> list[bool]:
        return [await door.is_known(network) for network in networks]

    assert asyncio.run(known()) == [False, True, True, False]
