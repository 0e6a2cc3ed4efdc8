"""What a new player stumbles over in a first evening."""

from tests.help.boards import flow
from tests.table import Table


def test_before_the_first_game(table: Table) -> None:
    table.robots_join()
    alice = table.joins("alice").forgets()
    table.joins("bob")
    alice.writes("a1-c3,b2").gets(1).hears("You have no game in progress.", '"challenge pebble"')
    alice.writes("", "yes").gets(1).hears("There is no question here")
    alice.writes("challenge bob").writes("challenge pebble", "Hello!").forgets()
    alice.writes("yes").gets(1).hears(
        "Two questions of ours are open",
        '- "Please confirm: challenge alice bob"; or answer this mail with "challenge alice bob".',
        '- "Please confirm: challenge alice pebble".',
    )
    assert not table.rows("boards")
    alice.says("challenge alice bob").hears(": alice v bob")


def test_a_game_with_a_robot_begins_at_once(table: Table) -> None:
    table.robots_join()
    alice = table.joins("alice").forgets()
    alice.says("I would like to play against pebble please").gets(1).hears("alice v pebble")
    alice.forgets().says("I would like to play against pebble please. What do you think of that?")
    assert len(table.rows("boards")) == 1, flow(alice.newest.text)
    bob = table.joins("bob").forgets()
    bob.says("I would like to play against alice").hears("Do you want to start a game with alice?")
