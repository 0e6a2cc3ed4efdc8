"""Stopping, leaving for good, and everything that is kept about a player."""

import json

import pytest

from tests.table import Table


def test_stop_explains_and_changes_nothing(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for word in ("stop", "unsubscribe", "signoff", "STOP"):
        alice.says(word).gets(1).hears(
            '"set mails turn"', "You play on board 1.", '"delete" leaves', "Nothing has changed."
        )
    bob.hears_nothing()
    assert table.board(1).playing


@pytest.mark.on_postgresql
def test_delete_is_confirmed_and_forgets_everything_but_the_games(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4")
    alice.says("set timezone Europe/Berlin").forgets()
    bob.forgets()
    alice.says("delete").gets(1).hears(
        "Do you want to leave this server for good? Reply yes to do it, or no to drop it."
    )
    assert table.board(1).playing
    alice.says("yes").gets(1).hears("You have left this server, alice.")
    bob.gets(1).hears("Board 1 is over: you win.", "alice resigned.")
    player = table.player("alice")
    assert player is not None
    assert (player.status, player.addresses) == ("removed", ())
    assert player.settings.timezone == "UTC"
    assert "alice@example.org" not in table.everything_stored().replace("<alice@example.org>", "")
    alice.writes("hello").hears("Reply yes to play as")
    bob.says("show 1").hears("Final scores: you 0, alice 0 (resigned).")


@pytest.mark.on_postgresql
def test_an_address_that_was_never_confirmed_is_forgotten_too(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    friend = table.person("friend@work.example")
    for person, line in ((alice, "add friend@work.example"), (bob, "add bob@work.example")):
        person.says(line).says("yes").hears("friend@work" if person is alice else "bob@work")
    friend.gets(1).hears("alice")
    alice.says("delete").says("yes").hears("You have left this server, alice.")
    own = [name for name in table.tables_with("friend@work.example") if name != "buckets"]
    assert (own, "questions" in table.tables_with("bob@work.example")) == ([], True)
    friend.says("yes").hears_nothing()
    assert [row["address_key"] for row in table.rows("addresses")] == [bob.address]


def test_nobody_can_take_the_handle_of_who_left(table: Table) -> None:
    alice = table.joins("alice")
    alice.says("delete").says("yes")
    other = table.person("other@example.org")
    other.writes("signup alice").hears("The handle alice is taken.")


def test_no_keeps_everything(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("delete").says("no").hears("dropped")
    assert table.board(1).playing
    assert table.player("alice")


def test_everything_that_is_kept_is_sent(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4\nset mails turn").forgets()
    bob.says("resign").forgets()
    alice.says("export me")
    told = json.loads(alice.newest.text)
    assert told["handle"] == "alice"
    assert told["addresses"] == ["alice@example.org"]
    assert told["settings"]["mails"] == "turn"
    (board,) = told["boards"]
    assert (board["number"], board["players"], board["plies"]) == (1, ["alice", "bob"], 1)
    assert "bob@example.org" not in alice.newest.text
    alice.says("export somebody").hears('"somebody" is not a board')


def test_a_match_ends_with_whoever_leaves_the_server(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge bob -rounds=2").forgets()
    bob.forgets()
    alice.says("delete").says("yes")
    bob.gets(1).hears("The match ends here, in round 1 of 2, because alice cannot play any more")
    assert table.boards() == [1]
