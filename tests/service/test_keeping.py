"""Mails that are kept together: what becomes of each is what would have if it had come alone."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Barrier, Thread
from typing import Any

import pytest

from pbm.mail.smtp_in.connection_limits import UNKNOWN, Caller
from pbm.mail.smtp_in.handler import Rejection
from pbm.service.intake.arriving import Arriving
from pbm.service.intake.mailrates import MailRates
from pbm.service.intake.receive import Named
from pbm.store.db import UnitOfWork
from tests.table import SERVER, Table

STRANGER = "stranger@example.net"
ROUNDS = 20


class UndoneError(Exception):
    """So that a transaction leaves nothing."""


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    table = Table(database_url)
    yield table
    table.close()


@pytest.fixture
def shared(postgres_url: str) -> Iterator[Table]:
    table = Table(postgres_url)
    yield table
    table.close()


def mail(
    table: Table, author: str, to: Sequence[str], name: str, *, peer: str = "127.0.0.1"
) -> Arriving:
    """A mail as it comes to the door; mails of one name and author are copies."""
    raw = f"From: {author}\r\nMessage-ID: <{name}.{author}>\r\n\r\nwhoami\r\n".encode()
    return table.intake.look_at(author, tuple(to), raw, Caller(peer))


def what_comes(table: Table) -> list[Arriving]:
    """Mails of all kinds that stand in each other's way."""
    alice, bob = table.start("alice", "bob")
    hers, his = alice.newest.reply_to, bob.newest.reply_to
    far = "203.0.113.9"
    of_her_own = [mail(table, alice.address, [hers], f"a{number}") for number in range(4)]
    return [
        of_her_own[0],
        of_her_own[0],  # comes twice
        mail(table, alice.address, [SERVER], "a0"),  # and to another of our addresses
        mail(table, bob.address, [his, SERVER], "b0"),
        mail(table, STRANGER, [SERVER], "s0"),
        *of_her_own[1:],  # one too many for an address, in the end
        mail(table, bob.address, [SERVER, his], "b1"),
        mail(table, "robot@example.net", ["postmaster@games.example"], "p0"),
        *(mail(table, f"{name}@far.example", [his], name, peer=far) for name in "uvwxyz"),
        of_her_own[3],
        replace(mail(table, STRANGER, [SERVER], "s0"), recipients=(hers, his)),
    ]


@contextmanager
def undone(table: Table) -> Iterator[UnitOfWork]:
    try:
        with table.database.transaction() as work:
            yield work
            raise UndoneError
    except UndoneError:
        pass


def rows(work: UnitOfWork, table: str, *columns: str) -> list[Any]:
    """What a transaction sees of a table."""
    sql = f"SELECT {', '.join(columns)} FROM {table}"
    found = work._transaction._connection.exec_driver_sql(sql)
    return sorted(map(tuple, found), key=repr)


def seen(work: UnitOfWork, answers: Sequence[str | Rejection]) -> list[Any]:
    """What was answered, with new numbers for what was kept; and what is in the database."""
    work.flush()
    numbers: dict[str, int] = {}

    def renumbered(found: re.Match[str]) -> str:
        return f"#{numbers.setdefault(found.group(), len(numbers))}"

    told = [
        re.sub(r"\bi\d+", renumbered, text) if isinstance(text, str) else text for text in answers
    ]
    kept = rows(work, "inbox", "digest", "recipient", "outcome", "lane", "answer_counted")
    counted = rows(work, "buckets", "key", "tokens", "filled_at")
    return [told, kept, counted]


def test_mails_kept_together_are_kept_as_if_alone(table: Table) -> None:
    mails = what_comes(table)
    table.intake.rates = MailRates(per_address=3, per_peer=4)
    with undone(table) as work:
        alone = seen(work, [table.intake.keep_arrived(work, [one])[0] for one in mails])
    with undone(table) as work:
        together = seen(work, table.intake.keep_arrived(work, mails))
    told = alone[0]
    assert len({text for text in told if isinstance(text, str)}) > 5
    assert sum(isinstance(text, Rejection) for text in told) == 4
    assert told[0] == told[1] != told[2]
    assert together == alone


def test_recipients_named_together_are_answered_as_if_alone(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    hers, his = alice.newest.reply_to, bob.newest.reply_to
    wrong = hers.replace("+", "+0", 1)
    old = bob.newest.reply_to
    bob.says("newkey").says("yes", answering=bob.mail("Please confirm"))
    far = Caller("203.0.113.9", "203.0.113.0/24")
    named = [
        Named(address, sender, caller)
        for address in (hers, his, old, wrong, SERVER, "nobody@games.example")
        for sender in ("", alice.address, STRANGER)
        for caller in (UNKNOWN, far)
    ]
    with table.database.reading() as work:
        alone = [table.intake.accept_recipients(work, [one])[0] for one in named]
    with table.database.reading() as work:
        assert table.intake.accept_recipients(work, named) == alone
    assert alone.count(None) == 2 * 6
    assert len(set(alone)) == 4


def test_groups_of_the_same_players_never_wait_for_each_other_for_good(shared: Table) -> None:
    people = shared.start("alice", "bob", "carol", "dave")
    group = [mail(shared, one.address, [one.newest.reply_to], "m") for one in people]
    begin = Barrier(2)
    failed: list[Exception] = []

    def keep(order: Callable[[list[Arriving]], list[Arriving]], name: str) -> None:
        for number in range(ROUNDS):
            mails = [replace(one, digest=f"{name}.{number}.{one.digest[:8]}") for one in group]
            begin.wait()
            try:
                with shared.database.transaction() as work:
                    kept = shared.intake.keep_arrived(work, order(mails))
                assert all(isinstance(text, str) for text in kept)
            except Exception as error:  # noqa: BLE001 - told below
                failed.append(error)

    threads = [
        Thread(target=keep, args=(list, "one")),
        Thread(target=keep, args=(lambda mails: mails[::-1], "other")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(shared.rows("inbox")) >= 2 * ROUNDS * len(group)


def counted_replies(table: Table) -> float:
    """How many tokens were taken for answers."""
    left = [row["tokens"] for row in table.rows("buckets") if row["key"].startswith("replies:")]
    return sum(MailRates.per_address - tokens for tokens in left)


def test_what_another_process_counts_is_waited_for_by_no_group(shared: Table) -> None:
    alice, bob = shared.start("alice", "bob")
    mails = [mail(shared, one.address, [one.newest.reply_to], "m") for one in (alice, bob)]
    later = [replace(one, digest=f"later.{one.digest[:8]}") for one in mails]
    before = counted_replies(shared)
    with shared.database.transaction() as one, shared.database.transaction() as other:
        kept = shared.intake.keep_arrived(one, mails)
        kept += shared.intake.keep_arrived(other, later)
    assert len(set(kept)) == 4
    assert counted_replies(shared) == before + len(mails)
