"""A game seen again, in one mail."""

import pytest

from pbm.play.limits import MOST_SHOWN
from tests.conversations.playing import plays, plays_on
from tests.pictures import pictures
from tests.table import Table


@pytest.mark.on_postgresql
def test_all_moves_with_the_board_every_few_plies(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("replay").gets(1).hears("The first move on board 1 is still to come.")
    plays_on(table, 1, 45)
    carol = table.joins("carol").forgets()
    carol.writes("replay 1").gets(1).hears("from move 1 (#1) to move 23 (#45) of 23 (#45)")
    mail = carol.newest
    assert mail.text.count("A- ") == len(pictures(mail.raw)) == MOST_SHOWN - 1
    assert all(move in mail.text for move in table.moves(1))
    assert len(mail.raw) < 120_000
    alice.says("set picture off").says("replay 1 10-40").gets(2)
    assert not pictures(alice.newest.raw)
    alice.hears("from move 5 (#10) to move 20 (#40) of 23 (#45)", "--", table.moves(1)[9])
    for part, told in (("44-", "#45"), ("-6", "#6"), ("10 - 99", "#45"), ("#7-#9", "#9")):
        alice.says(f"replay 1 {part}").gets(1).hears(f"({told}) of 23 (#45)")
    for part, told in (("46-", "45"), ("9-7", "45"), ("x", '"x" is not a part of a game.')):
        alice.says(f"replay 1 {part}").gets(1).hears(told, "Nothing has changed.")
    alice.says("replay 1\nreplay 1 2-\nreplay 1 3-").gets(1).hears("10 boards")
    bob.hears_nothing()


def test_a_game_of_six_that_some_have_left(table: Table) -> None:
    people = table.start(*"alice bob carol dave erin frank".split())
    plays(table, people, 1, plies=8)
    people[3].says("resign 1")
    plays(table, people, 1, plies=6)
    people[0].forgets().says("replay 1").gets(1).hears("of 3 (#14)", "dave (4) 0 (resigned)")
    assert len(pictures(people[0].newest.raw)) == 4
