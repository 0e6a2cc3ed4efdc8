"""A tick that dies at any statement or at its commit has done nothing; the next does it once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest
from sqlalchemy import event

from pbm.play import broadcasts
from pbm.play.limits import CLAIMED_OF_ORIGIN
from tests.conversations.test_clocks import begun
from tests.table import Table

KEPT = (
    "boards",
    "seats",
    "moves",
    "departures",
    "due",
    "outbox",
    "vacations",
    "results",
    "watched",
)
NEVER = 10_000  # statements; no tick has as many


class Died(BaseException):
    """Nothing in the server catches it, as nothing catches the death of a process."""


@dataclass(frozen=True)
class Case:
    """What is due after some days, and how often that many mails come of it."""

    begin: Callable[[Table], object]
    days: float
    mails: int
    told: str


def _forged(table: Table, name: str) -> None:
    """Let more mails claim to be theirs than are answered: one is told at once, two wait."""
    person = table.joins(name)
    for _ in range(CLAIMED_OF_ORIGIN + 3):
        person.writes("whoami")


def _watched(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.joins("carol").says("watch 1")
    alice.says("a1-c3,b2")


def _broadcast(table: Table) -> None:
    table.start("alice", "bob", "carol")
    with table.database.transaction() as work:
        broadcasts.begin(work, ["Hello all!"], table.clock() + timedelta(days=1))


CASES = {
    "broadcast": Case(_broadcast, 1, 3, "| Hello all!"),
    "watcher": Case(_watched, 19 / 24, 1, "alice moved: bob's turn on board 1"),
    "reminder": Case(
        lambda table: begun(table, "alice", "bob"), 3, 1, "This board has waited for your move"
    ),
    "vacation by itself": Case(
        lambda table: begun(table, "alice", "bob", vacation=True), 21, 2, "time has run out"
    ),
    "forfeit of one of two": Case(
        lambda table: begun(table, "alice", "bob"), 21, 2, "Board 1 is over: you "
    ),
    "forfeit of one of three": Case(
        lambda table: begun(table, "alice", "bob", "carol", options="-bowl"),
        14,
        3,
        "ran out of time and",
    ),
    "vacation begins": Case(
        lambda table: begun(table, "alice", "bob")[0].says("vacation 2026-11-24 2026-11-26"),
        2.75,
        1,
        "alice is away from 2026-11-24",
    ),
    "record lapses": Case(
        lambda table: table.joins("alice").says("import\n1. c5,d5 g5,f5"), 90, 0, ""
    ),
    "mails in a player's name": Case(
        lambda table: _forged(table, "alice"), 1, 1, "2 mails came here in your name"
    ),
    "first move missed": Case(
        lambda table: table.start("alice", "bob"), 7, 2, " not make a first move"
    ),
}


@contextmanager
def dying(table: Table, what: str, at: int) -> Iterator[None]:
    """Let the process die before a statement, or before or after a commit, counted from 1."""
    engine, seen = table.database.engine, 0

    def die(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == at:
            raise Died

    event.listen(engine, what, die)
    try:
        yield
    finally:
        event.remove(engine, what, die)


def dies(table: Table, what: str, at: int) -> bool:
    with dying(table, what, at):
        try:
            ticks(table)
        except Died:
            return True
    return False


def ticks(table: Table) -> int:
    """Do what is due, in one transaction."""
    with table.database.transaction() as work:
        return sum(table.ticks.take_next(work) for _ in range(16))


def kept(table: Table) -> list[object]:
    return [table.rows(name) for name in KEPT]


@pytest.mark.parametrize("name", CASES)
def test_it_is_done_once_wherever_a_tick_dies(embedded: Table, name: str) -> None:
    case = CASES[name]
    case.begin(embedded)
    embedded.days_pass(case.days - 0.01)
    embedded.clock.passes(days=0.02)
    for person in ("alice", "bob", "carol"):
        embedded.mailboxes.pop(f"{person}@example.org", None)
    before = kept(embedded)
    assert dies(embedded, "commit", 1)
    assert kept(embedded) == before
    at = 1
    while dies(embedded, "before_cursor_execute", at):
        assert kept(embedded) == before, at
        at += 1
    assert at > 5
    after = kept(embedded)
    assert after != before
    while ticks(embedded):  # as the next process does, which finds nothing of it left
        pass
    embedded.posts()
    mails = [mail for box in embedded.mailboxes.values() for mail in box]
    assert len(mails) == case.mails
    assert all(case.told in " ".join(mail.text.split()) for mail in mails)
    assert len({mail["Message-ID"] for mail in mails}) == len(mails)
