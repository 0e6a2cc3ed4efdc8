"""One person's two accounts become one."""

import pytest

from pbm.errors import OperatorError
from pbm.service.operator import boards, merging, players
from tests.admin.conftest import Room
from tests.table import Person

WHY = "bob has written from two addresses"
REPLY = "i5-g5,h5"


@pytest.fixture
def robert(room: Room) -> Person:
    """Who is bob, too, and plays on no board yet."""
    robert = room.table.joins("robert")
    room.everybody_forgets(robert)
    return robert


def test_the_games_go_on_under_the_other_name(room: Room, robert: Person) -> None:
    bob, alice = room.bob, room.alice
    bob.says("challenge alice").says("resign 2")
    alice.says("rating")
    room.everybody_forgets(robert)
    (plan,) = [merging.look(room.office, "bob", "robert")]
    assert [board.id for board in plan.boards] == [1]
    assert room.player("bob").is_active
    merging.merge(room.office, "bob", "robert", WHY)
    room.posts()
    told = "The operator has merged the account bob into yours, robert.", f"| {WHY}", "board 1,"
    seat = "The operator handed the place of bob to robert."
    robert.gets(2).hears(*told, f"{robert.address} and {bob.address}", seat, "Your move on board 1")
    alice.gets(1).hears(seat, f"| {WHY}")
    bob.hears_nothing()
    assert room.player("robert").addresses == (robert.address, bob.address)
    old = bob.newest
    bob.says(REPLY, answering=old)  # to an address of the account that is no more
    assert (bob.replied[:4], room.board().ply) == ("550 ", 1)
    bob.says(REPLY, answering=robert.newest)  # from the other of robert's addresses
    assert room.board().ply == 2
    assert [seat.handle for seat in room.board(2).seats] == ["bob", "alice"]
    assert room.player("bob").status == "removed"
    new = room.table.person("new@example.net")
    new.writes("signup bob", "").hears("taken")
    whats = [change.what for change in room.journal(handle="bob")]
    assert whats == ["replaced", "merged"]
    assert [change.what for change in room.journal(handle="robert")] == ["took over", "merged"]
    with pytest.raises(OperatorError, match=r"bob is removed\."):
        merging.merge(room.office, "robert", "bob", WHY)
    assert room.is_sound()


def test_what_only_one_account_has_goes_to_the_other(room: Room, robert: Person) -> None:
    carol, dora = room.table.joins("carol"), room.table.joins("dora")
    for words in ("block carol", "watch dora", "note 1\nbob's own", "block robert"):
        room.bob.says(words)
    carol.says("block robert")
    dora.says("block bob")
    carol.says("challenge alice")
    room.bob.says("watch 2")
    robert.says("watch 2")
    robert.says("watch 1")
    merging.merge(room.office, "bob", "robert", WHY)
    new = room.player("robert").id
    with room.table.database.reading() as work:
        assert work.blocks.handles_of(new) == ("carol",)
        assert work.blocks.handles_of(room.player("dora").id) == ("robert",)
        assert work.blocks.handles_of(room.player("carol").id) == ("robert",)
        assert work.notes.on_board(work.boards.get(1)) == {new: ("bob's own",)}
        watched = {(it.board_id, it.followed_id) for it in work.watchings.of_watcher(new)}
    assert watched == {(2, None), (None, room.player("dora").id)}
    assert room.is_sound()


def test_what_cannot_be_merged(room: Room) -> None:
    room.table.joins("robert")
    for old, new, words in [
        ("alice", "bob", r"Both alice and bob play on 1\. End these boards first"),
        ("bob", "BOB", "are the same player"),
        ("bob", "nobody", "no player called nobody"),
    ]:
        with pytest.raises(OperatorError, match=words):
            merging.merge(room.office, old, new, WHY)
    players.suspend(room.office, "robert", WHY)
    with pytest.raises(OperatorError, match=r"robert is suspended\. Only players who are active"):
        merging.merge(room.office, "bob", "robert", WHY)
    boards.end(room.office, 1, WHY)
    merging.merge(room.office, "alice", "bob", WHY)
    assert room.player("alice").addresses == ()
