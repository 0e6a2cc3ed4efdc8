"""A game that gets nowhere is claimed as a draw, when it may be."""

from itertools import chain, repeat
from random import Random

import pytest

from tests.conversations.greedy import greedy_move
from tests.conversations.playing import plays, plays_silently
from tests.table import Person, Table

TO_AND_FRO = ("c3,d3", "g7,f7", "d3,c3", "f7,g7")
REFUSED = (
    "A draw cannot be claimed on board 1 now: this position has not come up 3 times with the same"
    " player to move, and not everybody has made 100 moves since a marble last went over the edge."
    ' You can offer a draw with "draw".'
)


@pytest.fixture
def people(table: Table) -> list[Person]:
    return table.start("alice", "bob")


def is_claimed(table: Table) -> bool:
    board = table.board(1)
    return (board.status, board.ended_by, board.winners) == ("finished", "claimed", ())


def say(people: list[Person], *moves: str) -> None:
    for ply, move in enumerate(moves):
        people[ply % 2].says(move)
    for person in people:
        person.forgets()


def test_the_same_position_for_the_third_time(table: Table, people: list[Person]) -> None:
    alice, bob = people
    say(people, *TO_AND_FRO, *TO_AND_FRO)
    alice.says("claim\n\nThis goes round in circles.").gets(1)
    for person in people:
        person.gets(1).hears(
            "Board 1 is over: a draw.",
            " claimed a draw: the same position has come up for the third time, with the same"
            " player to move.",
            "| This goes round in circles.",
        )
        assert "It was claimed" not in person.newest.text  # said already
    assert is_claimed(table)
    bob.says("show").hears("Board 1 is over: a draw.", "The draw was claimed.")


def test_not_before(table: Table, people: list[Person]) -> None:
    alice, bob = people
    for ply, move in enumerate(TO_AND_FRO * 2):
        people[ply % 2].forgets().says("claim 1").gets(1).hears(REFUSED, "Nothing has changed.")
        people[ply % 2].says(move)
    assert len(table.moves(1)) == 8
    assert [mail for mail in bob.mails if "claim" in mail.text]  # bob's own answers only
    alice.says("claim")
    assert is_claimed(table)


def test_whoever_has_the_move_and_with_it(table: Table, people: list[Person]) -> None:
    alice, bob = people
    say(
        people,
        *TO_AND_FRO,
        *TO_AND_FRO[:3],
    )
    bob.says("claim").hears(REFUSED)
    alice.forgets()
    bob.says("claim\nf7,g7").gets(1)  # the move comes first
    alice.gets(1).hears("Board 1 is over: a draw.", "bob claimed a draw", "bob played f7,g7.")
    assert is_claimed(table)


def test_the_same_marbles_with_another_player_to_move(table: Table, people: list[Person]) -> None:
    alice, _ = people
    three = ("c3,d3", "g7,f7", "d3,d4", "f7,g7", "d4,c3", "h8,g8", "c3,d3", "g8,h8", "d3,c3")
    plays_silently(table, 1, [*three])
    rows = table.board(1).state.split(" ")[0]
    assert rows == table.board(1).start_state.split(" ")[0]  # as before, but it is bob's turn
    alice.says("claim").hears(REFUSED)


def test_what_somebody_took_back_does_not_count(table: Table, people: list[Person]) -> None:
    alice, bob = people
    say(people, *TO_AND_FRO, *TO_AND_FRO)
    bob.says("takeback")
    alice.says("accept")
    alice.forgets().says("claim").hears(REFUSED)
    bob.says("f7,g7").says("claim")
    assert is_claimed(table)


def test_another_game_begins_when_somebody_leaves(table: Table) -> None:
    people = alice, bob, carol = table.start("alice", "bob", "carol")
    shuffle = ("b1,c1", "f8,f7", "f3,f4", "c1,b1", "f7,f8", "f4,f3")
    plays_silently(table, 1, shuffle)
    carol.says("resign")
    shuffle = ("b1,c1", "f8,f7", "c1,b1", "f7,f8")
    plays_silently(table, 1, shuffle)
    alice.says("claim").hears(REFUSED)  # it is the second time without carol
    plays_silently(table, 1, shuffle)
    carol.says("claim").hears("You have left board 1 already.")
    bob.says("claim")
    for person in people:
        person.hears("Board 1 is over: a draw.", " claimed a draw")


def test_a_hundred_quiet_moves_of_everybody(table: Table, people: list[Person]) -> None:
    bob = people[1]
    shuffles = chain.from_iterable(repeat(TO_AND_FRO, 49))
    plays_silently(table, 1, [*shuffles, "c3,d3", "g7,f7", "c4,d4"])
    assert table.board(1).ply == 199
    bob.says("claim").hears(REFUSED)  # 99 moves of bob's
    for person in people:
        person.forgets()
    bob.says("g6,f5\nclaim").gets(1)
    for person in people:
        person.gets(1).hears(
            "Board 1 is over: a draw.",
            " claimed a draw: everybody has made 100 moves in a row, and no marble went over"
            " the edge.",
        )
    assert is_claimed(table)


def strolls(table: Table, number: int, plies: int) -> None:
    """Play moves of single marbles, which push nothing."""
    chance = Random(1)
    for _ in range(plies):
        found = table.board(number).position.legal_moves()
        single = [move for move in found if move.marbles.bit_count() == 1]
        plays_silently(table, number, [str(chance.choice(single))])


def test_after_a_marble_went_over_the_edge_all_is_counted_anew(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob", bowl=True)
    chance = Random(2)
    while not any((board := table.board(1)).position.scores):
        plays_silently(table, 1, [str(greedy_move(board.position, chance))])
    scored = board.ply
    assert scored > 4
    strolls(table, 1, 199)
    alice.says("claim 1").hears(REFUSED)
    plays(table, people)
    assert (table.board(1).ply, table.board(1).position.quiet) == (scored + 200, 200)
    bob.says("claim").hears("You claimed a draw: everybody has made 100 moves in a row")
