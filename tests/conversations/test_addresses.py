"""Further addresses, another address, another handle: confirmed, asked, told to all."""

import pytest

from tests.table import Person, Table


def added(table: Table, alice: Person, address: str) -> Person:
    """Let a player add an address, whole."""
    other = table.person(address)
    alice.says(f"add {address}").says("yes")
    other.gets(1).says("yes")
    for person in (alice, other):
        person.forgets()
    return other


@pytest.mark.on_postgresql
def test_an_address_is_added_once_both_have_said_yes(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    work = table.person("a.l@work.example")
    alice.says("add address a.l@work.example").gets(1).hears(
        "| add address a.l@work.example", "Reply yes"
    )
    work.hears_nothing()
    alice.says("yes").gets(1).hears("We have asked a.l@work.example.")
    work.gets(1).hears("alice plays Abalone here", "wants to play from this address as well")
    work.says("yes")
    alice.gets(1).hears("a.l@work.example is one of your addresses now")
    work.gets(1).hears(
        "a.l@work.example is one of your addresses now", "Our mails go to alice@example.org"
    )
    work.says("whoami")  # an answer to that mail is the player's
    work.hears_nothing()
    alice.gets(1).hears("You are alice", "a.l@work.example")
    player = table.player("alice")
    assert player is not None
    assert player.addresses == ("alice@example.org", "a.l@work.example")
    bob.hears_nothing()
    board_mail = alice.mail("Abalone Board 1")
    work.says("a1-c3,d4", answering=board_mail)
    alice.gets(1).hears("bob's move on board 1")


def test_change_address_makes_the_old_mails_useless(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    old_mail = alice.mail("Abalone Board 1")
    alice.says("change address alice@new.example").hears("| change address alice@new.example")
    alice.says("yes").forgets()
    new = table.person("alice@new.example")
    new.gets(1).hears("instead of the one before").says("yes")
    new.gets(2).hears("You play from alice@new.example now, and our mails go there.")
    alice.gets(1).hears("alice plays from alice@new.example now.", "If that was not you")
    alice.says("a1-c3,d4", answering=old_mail)
    assert alice.replied.startswith("550")
    assert table.board(1).ply == 0
    new.says("move 1 a1-c3,d4").hears("bob's move on board 1")
    player = table.player("alice")
    assert player is not None
    assert player.addresses == ("alice@new.example",)


def test_the_new_address_may_say_no_or_nothing_that_counts(table: Table) -> None:
    alice = table.joins("alice")
    other = table.person("stranger@example.net")
    alice.says("add stranger@example.net").says("yes").forgets()
    other.says("who are you?").hears("yes", "no")
    other.says("no", answering=other.mails[0]).hears("Dropped.")
    other.says("yes", answering=other.mails[0]).hears("not open any more")
    player = table.player("alice")
    assert player is not None
    assert player.addresses == ("alice@example.org",)
    alice.hears_nothing()


def test_a_late_yes_counts_for_nothing(table: Table) -> None:
    alice = table.joins("alice")
    other = table.person("a.l@work.example")
    alice.says("add a.l@work.example").says("yes").forgets()
    table.clock.passes(hours=49)
    other.says("yes")
    alice.hears_nothing()


def test_what_cannot_be_added(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("add alice@example.org").hears("alice@example.org is one of your addresses already")
    alice.says("add pbm@games.example").hears("Nobody plays from pbm@games.example")
    alice.says("add Abuse+x@example.org").hears("Nobody plays from Abuse+x@example.org")
    alice.says("add nonsense").hears('"nonsense" is not a mail address')


def test_what_is_changed_is_told_to_every_address(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    work = added(table, alice, "a.l@work.example")
    alice.says("change handle alicia").hears("| change handle alicia")
    alice.says("yes").hears("You were alice here, and are alicia now.")
    work.gets(1).hears("You were alice here, and are alicia now.")
    bob.says("show 1").hears("Scores: you 0, alicia 0;")
    bob.says("challenge alicia").hears("bob and alicia")
    carol = table.person("carol@example.org")
    carol.writes("signup alice").hears("The handle alice is taken.")
    work.forgets()
    alice.says("change handle alice").says("yes").hears("You were alicia here, and are alice now.")
    alice.says("newkey").says("yes")
    work.hears("cannot be answered any more")


def test_handles_that_cannot_be_had(table: Table) -> None:
    alice, _ = table.joins("alice"), table.joins("bob")
    alice.says("change handle bob").hears("The handle bob is taken.")
    alice.says("change handle move").hears('"move" cannot be a handle')
    alice.says("change handle a1").hears('"a1"')
    alice.says("change").hears("one of")
    alice.says("change adress x@example.org").hears("it is one of address, handle")


def test_a_password_is_set_unseen_and_proves_its_player_from_anywhere(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("change password battery-staple-41").gets(1).hears("| change password ****")
    stored = table.everything_stored()
    alice.says("yes").hears("You have a new password.", '"move 12 alice PASSWORD a1-c3,b2"')
    elsewhere = table.person("alice@cafe.example")
    elsewhere.writes("abalone move 1 alice battery-staple-41 a1-c3,d4").hears_nothing()
    alice.hears("bob's move on board 1")
    for text in (stored, table.everything_stored(), *(str(mail.message) for mail in alice.mails)):
        assert "battery-staple-41" not in text
    assert not any("argon2" in str(mail.message) for mail in alice.mails)
    alice.says("change password none").says("yes").hears("You have no password now.")
    elsewhere.writes("move 1 alice battery-staple-41 a2,a1")
    alice.hears_nothing()


def test_a_short_password_is_refused_unseen(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("change password short1").hears("8 characters", "| change password ****")
    alice.says("change pasword battery-staple-41").hears("one of address, handle, password")
    assert all("battery-staple-41" not in str(mail.message) for mail in alice.mails)
