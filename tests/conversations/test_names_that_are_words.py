"""Handles that became words of commands later: their players keep them, nobody else gets one."""

import pytest
from sqlalchemy import text

from pbm.commands.registry import COMMAND_WORDS
from tests.conversations.playing import board_mail
from tests.table import Person, Table

WORDS = ("plan", "note", "watch", "mute", "chat", "message", "notify", "queue", "submit", "drop")
MORE = ("confirm", "replay", "substitute")


def renamed(table: Table, person: Person, handle: str) -> Person:
    """A player whom an older version gave a handle."""
    old = person.address.partition("@")[0]
    with table.database.engine.begin() as connection:
        connection.execute(
            text("UPDATE players SET handle = :new WHERE handle = :old"),
            {"new": handle, "old": old},
        )
    return person


@pytest.mark.parametrize("word", ["plan", "mute", "watch", "substitute", "dan", "anders"])
def test_whoever_has_one_can_be_named(word: str, table: Table) -> None:
    alice, bob, old = (table.joins(name) for name in ("alice", "bob", "xena"))
    renamed(table, old, word)
    alice.says(f"challenge {word}").gets(1).hears(f"Board 1: alice v {word}")
    old.says(f"decline 1\n\nchallenge alice and bob -seats=bob,{word},alice")
    assert [seat.handle for seat in table.board(2).seats] == ["bob", word, "alice"]
    alice.says(f"info {word}").hears(f"{word} has played here since")
    alice.says(f"history {word}").hears(f"{word} has finished no game yet")
    alice.says(f"if {word} i5-g5,h5 then a2-c4,b3", answering=board_mail(alice, 2))
    alice.hears(f"it is bob's turn where you name {word}.")
    bob.says(f"block {word}").hears(word).says(f"unblock {word}")
    alice.says(f"substitute 2 {word}").hears(f"{word} plays on board 2 already")
    old.says("whoami").hears(f"You are {word}")


def test_nobody_else_gets_one(table: Table) -> None:
    alice = table.joins("alice")
    for word in sorted({*WORDS, *MORE} & COMMAND_WORDS):
        alice.says(f"change handle {word}").hears("because it means something else in commands")
        guest = table.person(f"x-{word}@example.net")
        guest.writes(f"signup {word}").hears(f'"{word}" cannot be a handle')
        table.clock.passes(hours=3)
    assert table.player("plan") is None
