"""What the operator does to players is done, kept in the journal, and told."""

from dataclasses import replace

import pytest

from pbm.errors import OperatorError
from pbm.service.operator import players
from pbm.store.values.mails import OutboxStatus
from tests.admin.conftest import Room

WHY = "moved site, by phone"


def test_nobody_of_that_name(room: Room) -> None:
    with pytest.raises(OperatorError, match=r"^There is no player called nobody\.$"):
        players.suspend(room.office, "nobody", WHY)


@pytest.mark.parametrize("why", ["", "  \n", "\x00"])
def test_a_change_needs_a_reason(room: Room, why: str) -> None:
    with pytest.raises(OperatorError, match="reason"):
        players.suspend(room.office, "bob", why)
    assert room.player("bob").status == "active"


def test_a_reason_is_one_line_of_bounded_length(room: Room) -> None:
    players.suspend(room.office, "bob", " rude\r\nwords\x07 ")
    assert room.journal(handle="bob")[0].why == "rude words"
    with pytest.raises(OperatorError, match="500"):
        players.unsuspend(room.office, "bob", "x" * 501)


class TestSetAddress:
    def test_mail_goes_to_the_new_address_only(self, room: Room) -> None:
        players.set_address(room.office, "bob", "Bob@New.Example", WHY)
        assert room.player("bob").addresses == ("Bob@new.example",)
        assert room.player("bob").epoch == 2
        room.posts()
        bob = room.table.person("bob@new.example")
        bob.hears("This is the mail address of bob now", f"| {WHY}", "board 1", "Your move on")
        room.bob.hears("changed the address of bob", f"| {WHY}", "postmaster@games.example")
        assert len(room.bob.mails) - 1 == room.bob.mails.index(room.bob.newest)
        assert "new.example" not in room.bob.newest.text
        room.alice.hears_nothing()
        assert room.is_sound()

    def test_what_waits_for_the_old_address_is_dropped(self, room: Room) -> None:
        room.tampers("UPDATE outbox SET status = 'failed' WHERE player_id = 2")
        players.set_address(room.office, "bob", "bob@new.example", WHY)
        with room.table.database.reading() as work:
            left = [mail.recipient for mail in work.outbox.waiting()]
            assert work.outbox.count(OutboxStatus.FAILED) == 0
        assert left.count("bob@example.org") == 1  # tells of the new one
        assert "bob@new.example" in left

    def test_it_is_in_the_journal(self, room: Room) -> None:
        players.set_address(room.office, "bob", "bob@new.example", WHY)
        (change,) = room.journal(handle="bob")
        assert (change.what, change.who, change.why) == ("address set", "root", WHY)
        assert change.at == room.table.clock()
        assert change.details == {"old": ["bob@example.org"], "new": "bob@new.example"}
        players.remove(room.office, "bob", WHY)
        assert [change.details for change in room.journal(handle="bob")] == [{}, {"boards": [1]}]

    def test_old_mails_cannot_be_answered_and_the_new_ones_can(self, room: Room) -> None:
        old = room.bob.newest
        players.set_address(room.office, "bob", "bob@new.example", WHY)
        room.posts()
        room.bob.says("i5-g5,f5", answering=old)
        assert room.bob.replied.startswith("550 5.1.1 ")
        room.table.person("bob@new.example").says("i5-g5,f5")
        assert room.board().ply == 2
        assert room.is_sound()

    @pytest.mark.parametrize(
        ("address", "words"),
        [
            ("bob", "form name@example.org"),
            ("Alice@example.org", "is an address of alice"),
            ("bob@example.org", "only address already"),
            ("PBM@games.example", "of this server itself"),
            ("postmaster@games.example", "of this server itself"),
        ],
    )
    def test_an_address_that_cannot_be(self, room: Room, address: str, words: str) -> None:
        with pytest.raises(OperatorError, match=words):
            players.set_address(room.office, "bob", address, WHY)
        assert room.player("bob").addresses == ("bob@example.org",)
        assert room.journal(handle="bob") == []


class TestSuspend:
    def test_a_suspended_player_can_do_nothing(self, room: Room) -> None:
        players.suspend(room.office, "bob", WHY)
        room.posts()
        room.bob.says("i5-g5,f5")
        assert room.board().ply == 1
        room.bob.hears("The operator has suspended you, bob", "board 1", "is suspended, so")

    def test_everybody_is_told_why_once(self, room: Room) -> None:
        players.suspend(room.office, "bob", WHY)
        before = len(room.alice.mails), len(room.bob.mails)
        room.posts()
        assert (len(room.alice.mails), len(room.bob.mails)) == (before[0] + 1, before[1] + 1)
        room.bob.hears("suspended you", f"| {WHY}", "postmaster@games.example")
        room.alice.hears("The operator suspended bob; the game waits.", f"| {WHY}")
        assert room.is_sound()

    def test_and_lifted_again(self, room: Room) -> None:
        players.suspend(room.office, "bob", WHY)
        room.posts()
        room.everybody_forgets()
        players.unsuspend(room.office, "bob", "said sorry")
        room.posts()
        room.alice.hears("The operator lifted the suspension of bob.", "| said sorry")
        room.bob.hears("Your suspension is lifted, bob", "| said sorry", "Your move on board 1")
        assert room.player("bob").status == "active"
        assert [change.what for change in room.journal(handle="bob")] == [
            "suspended",
            "unsuspended",
        ]
        room.bob.says("i5-g5,f5")
        assert room.board().ply == 2
        assert room.is_sound()

    @pytest.mark.parametrize("moved", [False, True])
    def test_no_clock_runs_meanwhile(self, room: Room, moved: bool) -> None:
        for mover, move in ((room.bob, "i5-g5,h5"), (room.alice, "a2-c4,b3")) if moved else ():
            mover.says(move)
        room.table.days_pass(days := 2.5)
        players.suspend(room.office, "bob", WHY)
        room.table.days_pass(100)
        players.unsuspend(room.office, "bob", WHY)
        room.table.days_pass((21 if moved else 7) - days - 0.1)
        assert room.board().playing
        room.table.days_pass(7.2)  # with days that are taken by themselves, or begun anew
        assert not room.board().playing

    def test_not_twice(self, room: Room) -> None:
        players.suspend(room.office, "bob", WHY)
        with pytest.raises(OperatorError, match="suspended already"):
            players.suspend(room.office, "bob", WHY)

    def test_nothing_to_lift(self, room: Room) -> None:
        with pytest.raises(OperatorError, match="not suspended"):
            players.unsuspend(room.office, "bob", WHY)


class TestRemove:
    def test_a_removed_player_is_out_of_every_game(self, room: Room) -> None:
        players.remove(room.office, "bob", "asked for it")
        board = room.board()
        assert (board.status, board.ended_by, board.winners) == ("finished", "last", (1,))
        assert room.player("bob").status == "removed"
        assert room.player("bob").addresses == ()
        room.posts()
        room.bob.hears("has removed you, bob", "| asked for it", "board 1")
        assert not any("rematch" in mail.text for mail in room.bob.mails[-2:])
        room.alice.hears("you win", "The operator removed bob from this server.", "| asked for it")
        assert [change.what for change in room.journal(handle="bob")] == ["removed"]
        (change,) = room.journal(board=1)
        assert (change.what, change.details) == ("player removed", {"handle": "bob"})
        assert room.is_sound()

    def test_nothing_personal_of_a_removed_player_is_left(self, room: Room) -> None:
        room.bob.says("set picture off\nset timezone Europe/Berlin").says("I live in Rome.")
        players.remove(room.office, "bob", WHY)
        room.posts()
        row = next(row for row in room.table.rows("players") if row["handle"] == "bob")
        assert (row["settings"], row["password_hash"]) == (None, None)
        assert "Rome" not in str(room.table.everything_stored())

    def test_the_others_play_on_where_there_are_more(self, room: Room) -> None:
        carol = room.table.joins("carol")
        carol.says("challenge -bowl me alice bob")
        room.everybody_forgets(carol)
        players.remove(room.office, "carol", WHY)
        board = room.board(2)
        assert board.status == "playing"
        assert board.position.out == {1}
        assert board.to_move is not None
        assert board.to_move.handle == "alice"
        room.posts()
        room.alice.hears("Your move on board 2", "carol was taken out of the game")
        room.bob.hears("alice's move on board 2")
        carol.hears("has removed you, carol")
        assert room.is_sound()

    def test_boards_that_are_over_stay_as_they_are(self, room: Room) -> None:
        room.bob.says("resign")
        before = room.board()
        room.everybody_forgets()
        players.remove(room.office, "bob", WHY)
        after = room.board()
        assert [seat.removed for seat in after.seats] == [False, True]
        assert replace(after, seats=before.seats) == before
        room.posts()
        room.alice.hears_nothing()

    def test_mail_from_a_removed_player_is_a_strangers(self, room: Room) -> None:
        last = room.bob.newest
        players.remove(room.office, "bob", WHY)
        room.posts()
        room.bob.says("i5-g5,f5", answering=last)
        assert room.bob.replied.startswith("550 5.1.1 ")
        room.bob.forgets().writes("hello")
        room.bob.hears("Reply yes to play as")
        assert "play as bob." not in room.bob.newest.text

    def test_it_is_for_good(self, room: Room) -> None:
        players.remove(room.office, "bob", WHY)
        for act in (players.remove, players.suspend, players.unsuspend):
            with pytest.raises(OperatorError, match="was removed; that is for good"):
                act(room.office, "bob", WHY)


class TestReachable:
    def test_what_waited_goes_out_and_the_others_are_told(self, room: Room) -> None:
        mark(room)
        room.posts()
        room.alice.forgets()
        room.bob.forgets()
        players.reachable(room.office, "bob", WHY)
        room.posts()
        assert room.player("bob").unreachable_since is None
        room.alice.hears("The operator sends mail to bob again", f"| {WHY}")
        room.bob.hears("Your move on board 1.")
        assert room.journal(handle="bob")[0].what == "reachable again"
        assert room.is_sound()

    def test_nobody_is_called_back_who_was_not_away(self, room: Room) -> None:
        with pytest.raises(OperatorError, match=r"^Mail to bob is not known to come back\.$"):
            players.reachable(room.office, "bob", WHY)


def mark(room: Room) -> None:
    """Let mail to bob come back."""
    with room.table.database.transaction() as work:
        bob = work.players.by_handle("bob")
        assert bob is not None
        now = room.table.clock()
        work.players.change(bob.id, bounces=0, bounced_at=now, unreachable_since=now)
