"""A first move that is not made in seven days is a decline, with a reminder after two."""

import pytest

from tests.table import Table

MOVE = "a1-c3,b2"


def test_a_reminder_after_two_days_and_a_decline_after_seven(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.days_pass(1.99)
    alice.hears_nothing()
    table.days_pass(0.02)
    alice.gets(1).hears(
        "Abalone Board 1: alice v bob",
        "Your move on board 1.",
        "This board has waited for your first move since 2026-11-21 12:00 (UTC). Please"
        " make it by 2026-11-28 12:00 (UTC); after that the game counts as declined.",
        "A- o o o o o / 7",
    )
    bob.hears_nothing()
    table.days_pass(4.98)
    alice.hears_nothing()
    table.days_pass(0.02)
    closed = "not make a first move within seven days. That counts as a decline"
    alice.gets(1).hears("Board 1 is closed.", closed)
    bob.gets(1).hears("Board 1 is closed.", closed)
    assert (table.board(1).status, table.board(1).ended_by) == ("closed", "declined")
    table.days_pass(100)
    alice.hears_nothing()
    bob.hears_nothing()
    assert not [row for row in table.rows("due") if row["board_id"]]


def test_the_time_of_the_second_player_begins_with_the_first_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.days_pass(1)
    alice.says(MOVE)
    alice.forgets(), bob.forgets()
    table.days_pass(1.5)
    alice.hears_nothing()
    bob.hears_nothing()
    table.days_pass(0.5)
    bob.gets(1).hears("since 2026-11-22 12:00 (UTC).")
    table.days_pass(5.01)
    bob.hears("not make a first move within seven days.")


def test_who_has_moved_is_reminded_of_no_first_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.days_pass(3)
    alice.says(MOVE)
    bob.says("i9-g7,f6")
    alice.forgets(), bob.forgets()
    table.days_pass(15)
    bob.hears_nothing()
    assert len(alice.arrived) == 3  # of the clock
    assert not any("first move" in mail.text for mail in alice.arrived)
    assert table.board(1).playing


@pytest.mark.parametrize("word", ["decline", "resign"])
def test_who_has_left_is_never_reminded(table: Table, word: str) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(word)
    alice.forgets(), bob.forgets()
    table.days_pass(30)
    alice.hears_nothing()
    bob.hears_nothing()


def test_the_time_begins_anew_after_a_take_back(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(MOVE)
    table.days_pass(1)
    alice.says("takeback")
    bob.says("accept takeback")
    alice.forgets(), bob.forgets()
    table.days_pass(1.5)
    alice.hears_nothing()
    table.days_pass(0.5)
    alice.gets(1).hears("since 2026-11-22 12:00 (UTC)")


def test_the_others_play_on_without_who_never_moved(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    table.days_pass(7.01)
    for person in (alice, bob, carol):
        person.hears("not make a first move within seven days.")
    assert [seat.handle for seat in table.board(2).seats] == ["bob", "carol"]
    table.days_pass(2)
    bob.hears("This board has waited for your first move")


def test_who_was_reminded_is_not_once_more_when_somebody_else_leaves(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    table.days_pass(3)
    alice.gets(1).forgets()
    bob.says("resign")
    alice.forgets()
    table.days_pass(3.9)
    alice.hears_nothing()
    table.days_pass(0.2)
    carol.hears("not make a first move within seven days.")


def test_the_times_are_in_the_zone_of_the_reader(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("set timezone Asia/Tokyo").forgets()
    table.days_pass(2)
    alice.hears("since 2026-11-21 21:00 (Asia/Tokyo). Please make it by 2026-11-28 21:00")


class TestArrival:
    """What counts is when a mail came, not when its turn is."""

    def test_a_move_that_came_in_time_counts(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        table.days_pass(6.99)
        to = alice.newest.reply_to
        table.hand_in(alice.address, to, alice.mail_bytes("", MOVE, to=to))
        alice.forgets()
        table.days_pass(0.1)  # no turn is taken
        alice.hears_nothing()
        assert table.board(1).playing
        table.runs()
        assert table.moves(1) == [MOVE]
        table.days_pass(1)
        assert table.board(1).playing
        bob.hears("alice played a1-c3,b2.")

    def test_one_that_came_too_late_does_not(self, table: Table) -> None:
        alice, bob = table.start("alice", "bob")
        table.days_pass(7, seconds=1)
        to = alice.newest.reply_to
        table.hand_in(alice.address, to, alice.mail_bytes("", MOVE, to=to))
        table.days_pass(minutes=2)
        assert table.board(1).status == "closed"
        table.runs()
        alice.hears("not make a first move within seven days.", "Board 1 is closed")
        assert table.moves(1) == []
        bob.hears("alice did not make a first move")

    def test_one_that_is_stuck_holds_nothing_up(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        table.days_pass(6)
        to = alice.newest.reply_to
        table.hand_in(alice.address, to, alice.mail_bytes("", MOVE, to=to))
        with table.database.transaction() as work:
            (mail,) = work.inbox.waiting()
            work.inbox.set_stuck(mail.id)
        table.days_pass(1.01)
        assert table.board(1).status == "closed"

    def test_a_yes_that_came_in_time_counts(self, table: Table) -> None:
        alice, _ = table.start("alice", "bob")
        alice.writes("move 1 a1-c3,b2", to="pbm@games.example")
        question = alice.newest
        assert "Reply yes" in question.text
        table.days_pass(hours=47)
        to = question.reply_to
        table.hand_in(alice.address, to, alice.mail_bytes("", "yes", to=to))
        table.days_pass(hours=9)
        table.runs()
        assert table.moves(1) == [MOVE]


def test_a_server_that_was_down_gives_the_time_back(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.days_pass(3)
    alice.forgets()
    table.is_down(days=10)
    table.days_pass(3.9)
    assert table.board(1).playing
    table.days_pass(0.2)
    assert table.board(1).status == "closed"
    alice.gets(1)


def test_nor_is_anybody_reminded_for_time_in_which_it_was_down(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    table.days_pass(1)
    table.is_down(days=10)
    table.days_pass(0.9)
    alice.hears_nothing()
    table.days_pass(0.2)
    alice.gets(1).hears("since 2026-11-21 12:00 (UTC). Please make it by 2026-12-08 12:00 (UTC)")


def test_the_time_stands_still_while_a_player_is_suspended(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.days_pass(3)
    with table.database.transaction() as work:
        player = work.players.by_handle("alice")
        assert player
        work.players.change(player.id, status="suspended")
    alice.forgets()
    table.days_pass(30)
    alice.hears_nothing()
    bob.hears_nothing()
    with table.database.transaction() as work:
        work.players.change(player.id, status="active")
    table.days_pass(2)
    alice.gets(1).hears("This board has waited for your first move")
    table.days_pass(2.9)
    assert table.board(1).playing
