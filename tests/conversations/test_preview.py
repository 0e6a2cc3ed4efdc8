"""A move that is shown and not played."""

import pytest
from sqlalchemy import update

from pbm.rules.sides import after
from pbm.store.schema.games import boards
from tests.play.test_ending import NEARLY_WON
from tests.table import Table


@pytest.mark.on_postgresql
def test_the_board_as_it_would_stand(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for line in ("preview a1-c3,d4", "preview 1 a1-c3,d4", "abalone preview 1 a1-c3,b2"):
        alice.says(line).gets(1).hears(
            "Abalone Board 1: alice v bob",
            "Board 1 as it would be after a1-c3,b2, move 1 (#1). Nothing has been played.",
            "A- . o o o o / 7",
            "State: .1111/",
        )
    bob.hears_nothing()
    assert table.board(1).ply == 0
    alice.says("a1-c3,d4").hears("bob's move on board 1")


def test_whoever_looks_sees_the_move_of_who_is_to_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("preview a1-c3,d4").gets(1).hears("as it would be after a1-c3,b2")
    table.joins("carol").writes("preview 1 a1-c3,d4").gets(1).hears("as it would be after a1-c3,b2")
    alice.hears_nothing()


def test_it_is_refused_as_the_move_would_be(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for move in ("c5,c5", "a1,i9", "i5,h5", "e5,e6"):
        played = alice.says(move).newest.text
        previewed = alice.says(f"preview {move}").newest.text
        assert previewed.replace("preview ", "") == played
    alice.forgets().says("preview 7 a1-c3,d4").hears("There is no board 7.")
    bob.says("resign").forgets()
    alice.forgets().says("preview 1 a1-c3,d4").hears("Board 1 is over.")


def test_one_mail_shows_ten_boards_at_most(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    moves = "a1-c3,d4 c3,d3 c3,d4 c4,d4 c4,d5 c5,d5 c5,d6 c3-c4,d4 c4-c3,d4 c4-c5,d5 c5-c4,d5"
    lines = [f"preview 1 {move}" for move in moves.split()]
    told = alice.says("\n".join(lines)).gets(1).newest.text
    assert told.count("as it would be after") == 10
    assert told.rstrip().split("\n")[-3] == "State:"


def test_pictures_only_for_those_who_want_them(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("preview a1-c3,d4")
    assert "<img" in alice.newest.html
    alice.says("set picture off").says("preview 1 a1-c3,d4")
    assert "<img" not in alice.newest.html


def test_nobody_moves_under_other_rules_than_a_board_was_begun_with(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    with table.database.engine.begin() as connection:
        connection.execute(update(boards).values(rules_version=99))
    for line in ("a1-c3,d4", "preview a1-c3,d4"):
        alice.says(line).gets(1).hears("was begun under other rules of Abalone")
    bob.hears_nothing()
    alice.says("resign").hears("Board 1 is over: you lost.")


FIRST, REPLY, SECOND = "a1-c3,b2", "i5-g5,h5", "a2-c4,b3"


def test_several_moves_of_all_seats_in_turn(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    position, moves = table.board(1).position, list[str]()
    for _ in range(4):
        moves.append(str(position.legal_moves()[0]))
        position = after(position, moves[-1])
    listed = f"1 (#1). {'  '.join(moves[:3])}\n2 (#4). {moves[3]}\n"
    for line in (" ".join(moves), f"1. {', '.join(moves)}", f"1 {' then '.join(moves)}"):
        bob.says(f"preview {line}").gets(1)
        bob.hears("after these moves. Nothing has been played.", listed, position.state()[:20])
    alice.says(f"prev {moves[0]}").hears(f"as it would be after {moves[0]}, move 1 (#1).")
    carol.says("prevent mischief please").gets(1).hears("Sent to alice and bob.")
    assert table.board(1).ply == 0


def test_a_preview_that_cannot_be(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    for line, told in (
        (f"{FIRST} {REPLY} a1-c3,b2", "alice cannot play a1-c3,b2, move 3 of your list. "),
        (f"{FIRST} {FIRST}", f"bob cannot play {FIRST}, move 2 of your list. "),
        (" ".join([FIRST] * 21), "A preview has 20 moves at most."),
        ("new 9", "The standard board is for 2 to 6 players."),
        (f"new 2 {REPLY}", "x's marbles on g5, h5 and i5 are not yours"),
        (f"new 2 {FIRST} {FIRST}", f"seat 2 cannot play {FIRST}, move 2 of your list."),
    ):
        alice.says(f"preview {line}").gets(1).hears(told, "Nothing has changed.")
    told = "The game is over before i8,i7, move 2 of your list."
    for state in (NEARLY_WON, boards.c.start_state):
        with table.database.engine.begin() as connection:
            connection.execute(update(boards).values(state=state))
        if state is NEARLY_WON:
            alice.says("preview 1 a3-a4,a4 i8,i7").gets(1).hears(told)


def test_a_position_that_no_board_has(table: Table) -> None:
    alice = table.joins("alice").forgets()
    for line, told in (
        ("preview new 3 -bowl", ["The first board, on the bowl board. Nobody plays on it."]),
        (
            f"preview new {FIRST} {REPLY}",
            ["The board after these moves, on the standard board.", f"1 (#1). {FIRST}  {REPLY}"],
        ),
        ("abalone prev new 4 players -teams", ["seat 1", "seat 3"]),
    ):
        alice.writes(line).gets(1).hears("State: ", *told)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("preview a1-b2", "as it would be after a1-c3,b2, move 1 (#1). Nothing has been played."),
        ("prev 1 c3 to d4", "as it would be after c3,d4, move 1 (#1). Nothing has been played."),
        ("submit c3 to d4", "Do you want to play c3,d4 on board 1?"),
        ("submit 1 c3 to d4", "Do you want to play c3,d4 on board 1?"),
        ("preview new 3 -bowl a1-b2", "Nothing has changed."),
        ("submit a1 to e5", "Nothing has changed."),
    ],
)
def test_an_inexact_move_is_shown_and_not_played(table: Table, words: str, shown: str) -> None:
    alice, bob = table.start("alice", "bob")
    bob.forgets()
    alice.forgets().says(words).gets(1).hears(shown)
    bob.hears_nothing()
    assert not table.moves(1)
