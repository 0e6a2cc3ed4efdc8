"""Digests: one mail at an hour instead of one for each board that others bring about."""

import pytest

from tests.conversations.playing import plays
from tests.table import Person, Table


def test_one_digest_in_the_morning(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    alice.says("set digest daily").gets(1).hears("- digest daily: one mail a day, at 07:00")
    bob.says("challenge alice").says("challenge alice").says("move 1 a1-c3,d4\nGood luck!")
    carol.says("challenge alice").forgets()
    alice.hears_nothing()
    table.days_pass(hours=18.9)
    alice.hears_nothing()
    table.days_pass(hours=0.2)
    print(alice.newest.text)
    alice.gets(1).hears("zz")
