"""Passwords are hashed apart: not on the event loop, and not in a turn.

That no transaction is open meanwhile is looked at in every conversation.
"""

import asyncio
import threading
from pathlib import Path

import pytest

from pbm import passwords
from pbm.passwords import PasswordHash
from pbm.service.trouble.failures import CrashMarker
from tests.service.whole import Whole, World
from tests.serving import take_next
from tests.table import SERVER, Table

PASSWORD = "open-Sesame-7"
LOGIN = f"alice {PASSWORD}"


@pytest.fixture
def where(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """For each hash the name of the thread that made it."""
    seen: list[str] = []
    check, make = passwords.check_password, passwords.hash_password

    def note() -> None:
        seen.append(threading.current_thread().name)

    def checking(kept: PasswordHash, password: str) -> bool:
        note()
        return check(kept, password)

    def making(password: str) -> PasswordHash:
        note()
        return make(password)

    monkeypatch.setattr(passwords, "check_password", checking)
    monkeypatch.setattr(passwords, "hash_password", making)
    return seen


def with_a_password(table: Table) -> None:
    """alice, who has one, and bob, at a board."""
    alice = table.person("alice@example.org").writes(f"signup {LOGIN}").says("yes")
    table.joins("bob")
    alice.says("challenge bob")


def test_in_a_thread_of_its_own(table: Table, where: list[str]) -> None:
    with_a_password(table)
    where.clear()

    async def serve() -> None:
        async with Whole(table, World()) as whole:
            office = table.person("a.l@work.example")
            bob = table.person("bob@example.org")
            assert await whole.keep(office, f"move 1 {LOGIN} a1-c3,d4", "", SERVER)
            assert await whole.keep(bob, "games", "", SERVER)
            assert await whole.keep(office, "move 1 alice wrong-Word-1 a2,b2", "", SERVER)
            await whole.until(lambda: all(row["status"] == "done" for row in table.rows("inbox")))

    asyncio.run(serve())
    assert table.moves(1) == ["a1-c3,b2"]
    assert where == ["mails_0"] * 2


def test_a_turn_that_begins_anew_leaves_no_mail_in_hand(
    table: Table, where: list[str], tmp_path: Path
) -> None:
    with_a_password(table)
    where.clear()
    raw = table.person("a.l@work.example").mail_bytes(f"move 1 {LOGIN} a1-c3,d4")
    table.hand_in("a.l@work.example", SERVER, raw)
    table.turns.crash_marker = CrashMarker(tmp_path / "in-hand")
    assert take_next(table.turns)
    assert table.turns.crash_marker.left_over() == ()
    assert (table.moves(1), where) == ([], [])
    assert take_next(table.turns)  # is put aside, and hashed for
    assert (table.moves(1), len(where)) == ([], 1)
    assert take_next(table.turns)
    assert table.moves(1) == ["a1-c3,b2"]
    assert len(where) == 1
    assert not take_next(table.turns)


def test_what_was_hashed_for_one_mail_is_no_other_ones(table: Table, where: list[str]) -> None:
    with_a_password(table)
    where.clear()
    for number in range(2):
        raw = table.person("a.l@work.example").mail_bytes(f"move {number + 1} {LOGIN} a1-c3,d4")
        table.hand_in("a.l@work.example", SERVER, raw)
    table.runs()
    assert len(where) == 2


def test_a_hash_that_failed_is_made_anew_by_the_next_try(
    table: Table, where: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_password(table)
    check, failed = passwords.check_password, []

    def once_short_of_memory(kept: PasswordHash, password: str) -> bool:
        if not failed:
            failed.append(1)
            raise MemoryError
        return check(kept, password)

    monkeypatch.setattr(passwords, "check_password", once_short_of_memory)
    raw = table.person("a.l@work.example").mail_bytes(f"move 1 {LOGIN} a1-c3,d4")
    table.hand_in("a.l@work.example", SERVER, raw)
    table.runs()
    assert table.moves(1) == ["a1-c3,b2"]
    assert len(where) == 2  # with the one of the sign-up
