"""Whoever is blocked brings nobody to a board who does not want it, and is not read."""

import pytest

from pbm.commands.families import control
from pbm.play.begin import may_meet
from tests.conversations.playing import board_mail
from tests.table import Table


def meet(table: Table, one: str, other: str) -> bool:
    with table.database.reading() as work:
        first, second = (work.players.by_handle(handle) for handle in (one, other))
        assert first
        assert second
        return may_meet(work, first, [second]) == {second.id}


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("block", "You have blocked nobody."),
        ("block me", "That is you."),
        ("block alice", "That is you."),
        ("block zoe", "There is no player called zoe."),
        ("block 12", 'I could not read "12" at the end of your line.'),
        ("unblock bob", "You have not blocked bob."),
        ("unblock", "Something is missing: the handle."),
    ],
)
def test_what_cannot_be_done_is_told(table: Table, line: str, answer: str) -> None:
    alice, _ = table.joins("alice"), table.joins("bob")
    alice.says(line).gets(1).hears(answer)


def test_no_new_game_brings_them_together(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    alice.says("block bob").gets(1).hears(
        "You have blocked bob: you begin no new game together", "bob is not told."
    )
    bob.hears_nothing()
    assert not meet(table, "alice", "bob")
    assert not meet(table, "bob", "alice")
    assert meet(table, "alice", "carol")
    bob.says("challenge alice").gets(1).hears("alice takes no challenges from you.")
    alice.says("challenge bob").gets(1).hears('You have blocked bob. To play together, send "unblo')
    carol.says("challenge alice bob").gets(1).hears(
        "These players cannot all be in one new game. Choose others, or challenge one of them"
    )
    for person in (alice, bob, carol):
        person.says("resign 1").forgets()
    bob.says("rematch 1").gets(1).hears("alice takes no challenges from you.")
    alice.forgets().says("unblock bob").gets(1).hears(
        "You have unblocked bob. You have blocked nobody."
    )
    bob.says("challenge alice").gets(1).hears("Board 2")


def test_games_that_are_going_go_on_without_the_words(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    alice.says("block bob").forgets()
    alice.says("move 1 b1,c1\nGo!").forgets()
    for person in (bob, carol):
        person.gets(1).hears("| Go!")
    bob.says("d8,d7\nYou fool.").gets(1).hears("| You fool.")
    carol.gets(1).hears("| You fool.")
    alice.gets(1).hears("bob played d8,d7.", "Words of bob are not shown.")
    assert "fool" not in alice.newest.html
    bob.says("Fool, I say.", answering=board_mail(bob, 1)).forgets()
    carol.gets(1).hears("| Fool, I say.")
    alice.hears_nothing()
    bob.says("draw 1\n\nYou have lost anyway.").forgets()
    alice.gets(1).hears("bob offers a draw.", "Words of bob are not shown.")


def test_a_receipt_does_not_tell_who_reads_no_words(table: Table) -> None:
    alice, bob, _ = table.start("alice", "bob", "carol")
    alice.says("block bob").forgets()
    bob.says("Hello all!", answering=board_mail(bob, 1)).gets(1).hears("Sent to alice and carol.")


def test_a_challenge_that_waits_between_them_is_off(table: Table) -> None:
    alice, bob, carol = (table.joins(handle) for handle in ("alice", "bob", "carol"))
    alice.says("challenges ask").forgets()
    bob.says("challenge alice").forgets()
    carol.says("challenge alice").forgets()
    alice.forgets().says("block bob").gets(1).forgets()
    bob.gets(1).hears("is off: alice would rather not play.")
    carol.hears_nothing()
    assert len(table.rows("challenges")) == 1


def test_a_block_ends_a_challenge_that_still_waits_for_a_guest(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    dave, erin = table.person("dave@example.net"), table.person("erin@example.net")
    alice.says("challenge dave@example.net erin@example.net bob me").forgets()
    dave.says("yes").forgets()
    bob.says("block alice").forgets()
    alice.hears_nothing()  # bob has not been asked yet
    dave.says("block alice").forgets()
    alice.gets(1).hears(
        "The game of Abalone that you wanted to start is off: dave would rather not"
    )
    erin.forgets().says("yes").hears("You play as erin now.", "will not take place")
    assert not table.boards()
    for person in (alice, bob, dave):
        person.hears_nothing()


def test_they_wait_in_no_seek_together(table: Table) -> None:
    alice, bob, carol = (table.joins(handle) for handle in ("alice", "bob", "carol"))
    alice.says("seek 4")
    bob.says("seek 4").says("join 1")
    carol.says("seek 4").says("join 1")
    alice.says("join 2").says("join 3")
    for person in (alice, bob, carol):
        person.forgets()
    alice.says("block bob").gets(1).forgets()
    bob.gets(2).hears("alice has withdrawn seek 1", "alice has left your seek 2")
    carol.gets(1).hears("alice has withdrawn seek 1")
    assert [row["seek_id"] for row in table.rows("seekers") if row["player_id"] == 1] == [1, 3]
    bob.says("seeks").hears("Number 2: bob")
    assert "Number 3" not in bob.newest.text
    bob.says("join 3").hears("One of the players in seek 3 cannot be put on a board with you.")
    alice.says("join 2").hears("One of the players in seek 2 cannot be put on a board with you.")
    bob.says("play")
    alice.says("play").hears("There is nobody to pair you with")
    assert not table.boards()


def test_words_below_a_block_go_to_nobody(table: Table) -> None:
    alice, bob = (table.joins(handle) for handle in ("alice", "bob"))
    alice.says("challenges ask").forgets()
    bob.says("challenge alice").forgets()
    alice.forgets().says("block bob\n\nHe is awful.").gets(1).hears(
        "I did not pass on your words", "| He is awful."
    )
    bob.gets(1).hears("is off: alice would rather not play.")
    assert "awful" not in bob.newest.text


def test_a_block_stays_with_another_handle_and_goes_with_its_player(table: Table) -> None:
    alice, bob, carol = (table.joins(handle) for handle in ("alice", "bob", "carol"))
    alice.says("block bob").says("block carol").forgets()
    bob.says("change handle robert").says("yes").forgets()
    alice.says("block").gets(1).hears("Blocked by you: carol and robert.")
    alice.says("settings").gets(1).hears("You have blocked carol and robert.")
    bob.says("challenge alice").gets(1).hears("alice takes no challenges from you.")
    alice.forgets().says("unblock bob").gets(1).hears("You have unblocked robert.")
    carol.says("delete").says("yes").forgets()
    assert not table.rows("blocks")
    alice.says("block carol").gets(1).hears("carol has left this server.")


def test_there_is_a_limit(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, *_ = (table.joins(handle) for handle in ("alice", "bob", "carol"))
    monkeypatch.setattr(control, "MOST_BLOCKED", 1)
    alice.says("block bob").says("block bob").forgets()
    alice.says("block carol").gets(1).hears("You have blocked 1 players, and more cannot be")


def test_a_digest_hides_them_too(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("block alice").says("set digest daily").forgets()
    alice.says("a1-c3,d4\nYou will lose.").forgets()
    bob.hears_nothing()
    table.days_pass(1)
    assert "You will lose" not in bob.newest.text
    bob.hears("alice played a1-c3,b2.", "Words of alice are not shown.")
