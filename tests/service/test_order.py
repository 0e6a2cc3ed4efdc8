"""Whose turn is next: fair between senders, players before strangers, in order where it matters."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from pbm.mail.reading.limits import STRANGERS_LIMITS
from pbm.mail.smtp_in.connection_limits import UNKNOWN
from pbm.service.turns import inbox_worker
from pbm.service.turns.inbox_worker import ASIDE_FOR, MOST_UNDER_WAY, InboxWorker
from tests.serving import broken, keeping, take_next
from tests.table import SERVER, Person, Table

LONG = "\n".join(["words that nobody needs"] * 1000)


def hands_in(person: Person, body: str, *, to: str = SERVER, subject: str = "") -> str:
    return person.table.hand_in(person.address, to, person.mail_bytes(subject, body, to=to))


def taken(table: Table, count: int = 1) -> list[str]:
    """What became of the next mails, in order; the post is not sent."""
    before = {row["id"] for row in table.rows("inbox") if row["status"] == "done"}
    told = []
    while len(told) < count and take_next(table.turns):
        new = [row for row in table.rows("inbox") if row["status"] == "done"]
        told += [_outcome(row) for row in new if row["id"] not in before]
        before |= {row["id"] for row in new}
    return told


def _outcome(row: dict[str, Any]) -> str:
    """What the operator sees, a stranger's in a word."""
    return str(row["outcome"]).partition(" ")[0] if "@" in row["outcome"] else row["outcome"]


def test_players_go_before_strangers(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for number in range(3):
        hands_in(table.person(f"s{number}@forged.example"), "hello")
    hands_in(alice, "games", to=alice.newest.reply_to)
    hands_in(bob, "games")  # nobody proves it, but it is no stranger's address
    assert taken(table, 3) == ["alice: games", "bob: games", "asked"]


def test_strangers_wait_no_longer_than_a_minute(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    hands_in(table.person("new@comer.example"), "hello")
    table.clock.passes(minutes=2)
    hands_in(alice, "games")
    assert taken(table) == ["asked"]


def test_who_sends_much_waits_behind_who_sends_little(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for words in ("games", "whoami", "settings"):
        hands_in(alice, words)
    hands_in(bob, "games")
    assert taken(table, 4) == ["alice: games", "bob: games", "alice: whoami", "alice: settings"]


def test_who_sends_long_mails_waits_longer(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    hands_in(alice, "games")
    hands_in(alice, LONG, subject="whoami")
    hands_in(bob, "games")
    table.clock.passes(seconds=1.5)
    hands_in(bob, "whoami")
    table.clock.passes(seconds=1)
    hands_in(bob, "settings")
    told = taken(table, 5)
    assert told == ["alice: games", "bob: games", "bob: whoami", "bob: settings", "alice: whoami"]


@pytest.mark.on_postgresql
def test_what_is_about_one_board_keeps_its_order(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for words in ("a1-c3,d4", "draw"):
        hands_in(alice, words, to=alice.newest.reply_to)
    hands_in(bob, "reject draw", to=bob.newest.reply_to)
    assert taken(table, 3) == ["alice: move", "alice: draw", "bob: reject"]


@pytest.mark.parametrize(
    ("body", "most"), [("games", 121), (LONG * 3, 14)], ids=["short", "of 64 KB"]
)
def test_of_one_sender_only_so_many_wait(table: Table, body: str, most: int) -> None:
    alice, bob = table.start("alice", "bob")
    replies = [hands_in(alice, body, to=alice.newest.reply_to) for _ in range(most + 3)]
    assert [reply[:4] for reply in replies] == ["250 "] * most + ["450 "] * 3
    assert "send this one again later" in replies[-1]
    assert hands_in(bob, "games").startswith("250 ")
    table.runs()
    assert hands_in(alice, body, to=alice.newest.reply_to).startswith("250 ")


# -- long mails --------------------------------------------------------------------------------


def takes(table: Table, turns: InboxWorker | None = None) -> bool:
    """One look at the inbox, if nothing is ready; nothing is worked out."""
    with table.database.transaction() as work:
        return (turns or table.turns).take_next(work)


def works_out(table: Table) -> int:
    preparations = table.turns.to_start()
    for prepared in preparations:
        table.turns.work_out(prepared)
    return len(preparations)


def test_while_a_long_mail_is_read_others_are_obeyed(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    hands_in(alice, LONG, subject="games")
    hands_in(alice, "whoami")
    hands_in(bob, "games")
    assert takes(table)  # put aside
    assert takes(table)
    assert table.rows("inbox")[-1]["outcome"] == "bob: games"
    assert not takes(table)  # alice's other one comes behind it
    works_out(table)
    assert taken(table, 2) == ["alice: games", "alice: whoami"]


@pytest.mark.on_postgresql
def test_another_process_leaves_it_alone_for_a_while(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    hands_in(alice, LONG, subject="whoami")
    assert takes(table)
    other = InboxWorker(table.database, table.site, table.clock)
    assert not takes(table, other)
    table.clock.passes(seconds=ASIDE_FOR.total_seconds() + 1)
    assert takes(table, other)


def test_what_a_dead_process_had_put_aside_is_taken_at_the_next_start(embedded: Table) -> None:
    alice = embedded.joins("alice")
    hands_in(alice, LONG, subject="whoami")
    takes(embedded)
    embedded.turns = InboxWorker(embedded.database, embedded.site, embedded.clock)
    assert not takes(embedded)
    embedded.turns.begin()
    assert taken(embedded) == ["alice: whoami"]


def test_only_so_many_are_read_at_once_and_short_ones_go_on(table: Table) -> None:
    alice = table.joins("alice")
    for number in range(MOST_UNDER_WAY + 2):
        hands_in(table.person(f"s@forged{number}.example"), LONG)
    while takes(table):
        pass
    table.clock.passes(minutes=2)
    hands_in(alice, "games")
    assert takes(table)
    assert table.rows("inbox")[-1]["outcome"] == "alice: games"
    assert works_out(table) == MOST_UNDER_WAY
    assert len(taken(table, MOST_UNDER_WAY + 2)) == MOST_UNDER_WAY + 2


def test_what_cannot_be_read_is_tried_like_a_turn(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = table.joins("alice")
    hands_in(alice, LONG, subject="whoami")
    with monkeypatch.context() as planted:
        planted.setattr(inbox_worker, "read", broken)
        for _ in range(2 * inbox_worker.MOST_TRIES):
            assert take_next(table.turns)
    (row,) = (row for row in table.rows("inbox") if row["status"] == "stuck")
    assert (row["tries"], row["outcome"]) == (
        inbox_worker.MOST_TRIES,
        "ZeroDivisionError: a planted bug",
    )


def test_a_number_that_comes_again_is_another_mail(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    with suppress(ZeroDivisionError), table.database.transaction() as work:
        raw = alice.mail_bytes("whoami", LONG)
        keeping(table.intake, alice.address, (SERVER,), raw, UNKNOWN)(work)
        table.turns.take_next(work)
        raise ZeroDivisionError  # so that on SQLite the next mail gets its number
    works_out(table)
    hands_in(bob, LONG, subject="games")
    assert taken(table) == ["bob: games"]


@pytest.mark.parametrize(
    "fills",
    [lambda: "x" * (STRANGERS_LIMITS.text_bytes + 1), lambda: "y\n" * STRANGERS_LIMITS.text_lines],
    ids=["bytes", "lines"],
)
def test_of_a_stranger_less_is_read(table: Table, fills: Callable[[], str]) -> None:
    alice, _ = table.start("alice", "bob")
    body = "> " + fills().replace("\n", "\n> ") + "\nwhoami"
    hands_in(table.person("new@comer.example"), body)
    hands_in(alice, body, to=alice.newest.reply_to)
    assert taken(table, 2) == ["alice: whoami", "asked"]
