"""Reminders of several boards: one mail, which counts for each of them."""

from datetime import timedelta

import pytest

from tests.conversations.playing import plays
from tests.table import Person, Table

_DAY = timedelta(days=1)


def begun(table: Table, *terms: str) -> list[Person]:
    """Boards of alice and bob, a day apart, on which it is alice's turn and both have moved."""
    alice, bob = table.joins("alice"), table.joins("bob")
    for number, chosen in enumerate(terms, 1):
        alice.says(f"challenge bob {chosen}".strip())
        plays(table, [alice, bob], number, plies=2)
    with table.database.transaction() as work:
        for number, _ in enumerate(terms, 1):  # none is taken by itself there any more
            player = work.boards.get(number).seats[0].player_id
            work.vacations.add(
                player, table.clock().date() - _DAY, table.clock().date() - _DAY, number
            )
    for person in (alice, bob):
        person.forgets()
    return [alice, bob]


@pytest.mark.both_databases
def test_one_mail_reminds_of_all_boards(table: Table) -> None:
    alice, _bob = begun(table, "", "-forfeittime=10d", "")
    table.days_pass(3.01)
    alice.gets(1).hears(
        "Your games: 3 wait for your move",
        "Three boards wait for your move.",
        "- Board 2, with bob: waits since 2026-11-21 12:00 (UTC); please move by 2026-12-01 12:00",
        "- Board 1, with bob: waits since 2026-11-21 12:00 (UTC); please move by 2026-12-12 12:00",
        "Without a move by then you are out of that game.",
        "Abalone Board 2: alice v bob Your move on board 2",
    )
    text = alice.newest.text
    assert text.index("Board 2,") < text.index("Board 1,") < text.index("Board 3,")
    assert not alice.newest["List-Id"]
    alice.says("2 c4,c5\n1 c4,c5").gets(2)
    assert [table.board(number).ply for number in (1, 2, 3)] == [3, 3, 2]
    alice.forgets()
    table.days_pass(3)
    alice.hears_nothing()
    table.days_pass(15)
    assert not table.board(3).playing


def test_twenty_boards_are_one_mail_and_more_are_two(table: Table) -> None:
    alice, bob = begun(table, "")
    table.begins("alice", "bob", times=24)
    table.days_pass(2.01)
    alice.gets(2).hears(
        "Your games: 25 wait for your move",
        "please move by 2026-11-28 12:00 (UTC), or it is closed as if you had declined.",
        "more are not shown here",
    )
    alice.forgets()
    table.days_pass(4.9)
    alice.hears_nothing()
    assert len([number for number in table.boards() if table.board(number).playing]) == 25
    table.days_pass(0.1)
    assert table.board(1).playing
    assert not [number for number in table.boards() if number > 1 and table.board(number).playing]
    bob.hears("That counts as a decline")


def test_boards_of_another_day_are_named_and_counted_by_themselves(table: Table) -> None:
    alice, bob = begun(table, "")
    table.days_pass(2.5)
    alice.says("challenge bob")
    plays(table, [alice, bob], 2, plies=2)
    alice.forgets()
    table.days_pass(0.6)
    alice.gets(1).hears("Two boards wait for your move.", "Board 2, with bob").forgets()
    assert (table.board(1).reminded, table.board(2).reminded) == (1, 0)
    table.days_pass(2.5)
    alice.gets(1).hears("Two boards wait for your move.").forgets()
    assert (table.board(1).reminded, table.board(2).reminded) == (1, 1)


def test_who_was_not_reached_forfeits_none_of_them(table: Table) -> None:
    """Each board counts the mail that named it, once the next server has taken it for a day."""
    alice, bob = begun(table, "", "-forfeittime=4d")
    sends, table.posts = table.posts, lambda: None  # type: ignore[method-assign]  # nothing goes out
    table.days_pass(30)
    assert [table.board(number).playing for number in (1, 2)] == [True, True]
    table.posts = sends  # type: ignore[method-assign]  # it does again
    table.posts()
    assert 1 <= len(alice.arrived) < 6
    table.days_pass(0.9)
    assert [table.board(number).playing for number in (1, 2)] == [True, True]
    table.days_pass(0.5)
    assert [table.board(number).playing for number in (1, 2)] == [False, False]
    bob.hears("alice ran out of time")


def test_a_reminder_that_is_lost_is_written_anew(table: Table) -> None:
    alice, _ = begun(table, "-forfeittime=4d", "-forfeittime=4d")
    sends, table.posts = table.posts, lambda: None  # type: ignore[method-assign]  # nothing goes out
    table.days_pass(3.5)
    with table.database.transaction() as work:
        for mail in work.outbox.waiting():
            work.outbox.fail(mail.id, "refused", table.clock())
    table.posts = sends  # type: ignore[method-assign]  # it does again
    table.days_pass(1)
    alice.gets(1).hears("Two boards wait for your move.")
    assert table.board(1).playing
    table.days_pass(1.5)
    assert [table.board(number).playing for number in (1, 2)] == [False, False]


def test_a_digest_is_no_reason_to_wait_with_a_reminder(table: Table) -> None:
    alice, bob = begun(table, "")
    alice.says("set digest daily").forgets()
    bob.says("Still there?")
    bob.says("challenge alice").forgets()
    table.days_pass(hours=19.1)
    alice.gets(1).hears("Your games: news of 2, your move on 1", "| Still there?").forgets()
    bob.says("Hello?", answering=bob.mail("Abalone Board 1:"))
    table.days_pass(days=2, hours=6)
    alice.hears("Your move on board 1")
    assert "We have waited for your move" in "".join(mail.text for mail in alice.mails)
