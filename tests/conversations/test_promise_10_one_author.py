"""Promise 10: who isn't named by one strict `From` does nothing, and hears nothing.

The mails go to a good reply address of the player whom they name, so that nothing but the `From`
stands against them.
"""

import re

import pytest

from tests.table import Table

FORGED = [
    "alice@example.org\r\nFrom: mallory@example.net",
    "mallory@example.net\r\nfrom: alice@example.org",
    "alice@example.org\r\nX-Between: x\r\nFROM : mallory@example.net",
    "alice@example.org, mallory@example.net",
    "mallory@example.net <alice@example.org>",
    "<mallory@example.net> <alice@example.org>",
    "<@relay.example:alice@example.org>",
    "friends: alice@example.org;",
    "alice@example.org (mallory@example.net)",
    "mallory@example.net)alice@example.org",
    "alice(mallory@example.net)@example.org",
    "=?utf-8?q?alice=40example=2Eorg?=",
    "=?utf-8?q?=3Calice=40example.org=3E?= <>",
    '"alice@example.org" <mallory@example.net',
    "аlice@example.org",
    "alice@example.org\u200b",
    "alice@ex\u212aample.org",
]


@pytest.mark.parametrize("field", FORGED)
def test_promise_10_nobody_is_taken_for_alice(field: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4", headers={"From": field})
    assert re.match(r"550 5\.1\.7 The .* Please send it again with one plain", alice.replied)
    assert table.moves(1) == []
    for person in (alice, bob, table.person("mallory@example.net")):
        person.hears_nothing()


def test_promise_10_behind_our_front_the_owner_of_the_tag_is_told(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.behind_front("")
    board = alice.newest
    for field in FORGED:
        alice.says("a1-c3,d4", answering=board, headers={"From": field})
        alice.writes("resign 1", headers={"From": field})  # without a tag it is dropped
        assert alice.replied.startswith("250 "), field
    assert len(FORGED) > 10
    alice.gets(10).hears("a mail that could not be read", "The mail has more than one From line.")
    alice.writes("resign 1").says("yes", headers={"From": FORGED[3]}).gets(1)
    alice.says("a1-c3,d4", answering=board, headers={"Auto-Submitted": "auto-replied", "From": ""})
    table.clock.passes(days=1)
    alice.forgets().says("a1-c3,d4", answering=board, headers={"From": ""}).gets(1)
    alice.hears("The mail has no From line.")
    table.person("dave@example.org").writes("hello").forgets().says("yes", headers={"From": "x"})
    table.person("dave@example.org").gets(2).hears("could not be read")
    assert (table.moves(1), table.departures(1)) == ([], ())
    for person in (bob, table.person("mallory@example.net")):
        person.hears_nothing()


def test_promise_10_a_domain_is_one_however_it_is_spelt(table: Table) -> None:
    dave = table.person("dave@müller.example")
    dave.table.mailboxes["dave@müller.example"] = []
    dave.writes("signup dave")
    same = table.person("dave@xn--mller-kva.example").says("yes").hears("You play as dave")
    same.says("whoami", headers={"From": "Dave <dave@MÜLLER.example>"}).hears("You are dave")


@pytest.mark.parametrize("bad", [b"ali\0ce@example.org", b"alice@example.org\rFrom: x@y.example"])
def test_promise_10_control_characters_do_not_come_in(bad: bytes, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    raw = alice.mail_bytes("move 1 a1-c3,d4").replace(b"alice@example.org", bad, 1)
    alice.sends(raw, to=alice.newest.reply_to)
    assert table.moves(1) == []
    bob.hears_nothing()


@pytest.mark.parametrize(
    "field",
    [
        '"mallory@example.net" <alice@example.org>',
        "=?utf-8?q?mallory=40example=2Enet?= <alice@example.org>",
        "mallory at example.net <alice@example.org>",
        "Alice@EXAMPLE.ORG",
    ],
)
def test_promise_10_a_display_name_changes_nothing(field: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,d4", headers={"From": field})
    assert table.moves(1) == ["a1-c3,b2"]
    bob.hears("Your move on board 1.")
    table.person("mallory@example.net").hears_nothing()
