"""Robots as players: they move by themselves, get no mail, and no clock runs against them."""

from tests.conversations.playing import plays
from tests.table import Table


def test_a_robot_answers_a_move(sqlite_url: str) -> None:
    table = Table(sqlite_url)
    table.robots_join()
    alice = table.joins("alice")
    alice.says("challenge pebble").hears("Your move on board 1.")
    plays(table, [alice])
    alice.hears("pebble's move on board 1; nothing to do.")
    table.robots_think()
    assert len(table.moves(1)) == 2
    alice.hears("Your move on board 1.")
    assert table.mailboxes.keys() == {alice.address}
    table.close()
