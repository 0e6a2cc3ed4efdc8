"""Moves: the pushes of the box, what one move is, and the order of the legal ones."""

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import LINES, STEPS, LineMove, parse_cell, set_of
from pbm.rules.abalone.refusals import why_not
from tests.rows import each_row
from tests.rules.random_positions import some_positions
from tests.rules.setups import marbles, move, placed


@each_row(
    ("own", "theirs", "text", "own_after", "theirs_after"),
    [
        ("e5 e6", "e7", "e5-e6,e7", "e6 e7", "e8"),
        ("e4 e5 e6", "e7", "e4-e6,e7", "e5 e6 e7", "e8"),
        ("e4 e5 e6", "e7 e8", "e4-e6,e7", "e5 e6 e7", "e8 e9"),
        ("e5 e6 e7", "e8 e9 a1", "e5-e7,e8", "e6 e7 e8", "a1 e9"),
        ("e6 e7", "e8 a1", "e6-e7,e8", "e7 e8", "a1 e9"),
        ("e7 e8", "e9 a1", "e7-e8,e9", "e8 e9", "a1"),
        ("c3 d4", "e5", "c3-d4,e5", "d4 e5", "f6"),
        ("f6 g7", "e5", "g7-f6,e5", "e5 f6", "d4"),
        ("f5 g5", "e5", "g5-f5,e5", "e5 f5", "d5"),
        ("d5 e5", "f5", "d5-e5,f5", "e5 f5", "g5"),
        ("e5 e6", "e4", "e6-e5,e4", "e4 e5", "e3"),
        ("e5 e6", "i9", "e5-e6,e7", "e6 e7", "i9"),
        ("e5 e6", "i9", "e5-e6,d5", "d5 d6", "i9"),
        ("e5 e6 e7", "i9", "e5-e7,f5", "f5 f6 f7", "i9"),
        ("e5 a1", "i9", "e5,f6", "a1 f6", "i9"),
    ],
)
def test_what_moves(own: str, theirs: str, text: str, own_after: str, theirs_after: str) -> None:
    after = move(text, placed(own, theirs)).position
    assert (marbles(after, 1), marbles(after, 2)) == (own_after, theirs_after)


def test_opponents_may_be_pushed_mixed() -> None:
    played = move("e4-e6,e7", placed("e4 e5 e6", "e7 a1", "e8 i9"))
    assert [marbles(played.position, seat) for seat in (1, 2, 3)] == ["e5 e6 e7", "a1 e8", "e9 i9"]
    played = move("e5-e7,e8", placed("e5 e6 e7", "e8 a1", "e9 i9"))
    assert played.ejected == (3,)
    assert played.position.scores == (1, 0, 0)


def test_a_move_is_what_it_does_however_it_was_written() -> None:
    position = rules.start()
    spellings = ["c3-c5,d4", "c5-c3,d6", "c3-c5,d6", "c5-c3,d4"]
    assert len({rules.parse_move(text, position) for text in spellings}) == 1


def test_two_marbles_that_share_a_target_differ_by_the_first_named() -> None:
    position = rules.start()
    one, other = (rules.parse_move(text, position) for text in ("c3-c4,d4", "c4-c3,d4"))
    assert (str(one), str(other)) == ("c3-c4,d4", "c3-c4,d3")
    assert one != other


@each_row(
    ("cells", "step"),
    [((), 1), ((11, 13), 1), ((11, 12, 13, 14), 1), ((10, 11), 1), ((11, 22), 2), ((11,), 0)],
)
def test_what_cannot_be_a_move(cells: tuple[int, ...], step: int) -> None:
    with pytest.raises(ValueError, match="no line of one to three cells and a step"):
        LineMove(set_of(cells), step)


def test_a_failing_test_shows_moves_and_positions_as_people_write_them() -> None:
    position = move("a1-c3,d4", rules.start("bowl", 3)).position
    assert repr(rules.parse_move("a1-c3,d4", rules.start("standard", 2))) == "LineMove('a1-c3,b2')"
    assert position.drawn() in repr(position)
    assert "seat 2 to move" in repr(position)
    over = position.leave(1).leave(3)
    assert "out [1, 3]" in repr(over)
    assert "'last'" in repr(over)


def test_equal_positions_are_one_key() -> None:
    one = move("b1,c1", move("h9,g9", placed("a1 b1", "h9 i9", turn=2)).position).position
    other = placed("a1 c1", "g9 i9", turn=2, flags="quiet=2")
    assert {one: "here"}[other] == "here"


def test_the_order_of_legal_moves() -> None:
    position = placed("e4 e5 e6", "i9")
    assert " ".join(map(str, position.legal_moves())) == (
        "e6,e7 e5-e6,e6 e4-e6,e5 "
        "e4,f5 e5,f6 e6,f7 e4-e5,f5 e5-e6,f6 e4-e6,f5 "
        "e4,f4 e5,f5 e6,f6 e4-e5,f4 e5-e6,f5 e4-e6,f4 "
        "e4,e3 e5-e4,e4 e6-e4,e5 "
        "e4,d3 e5,d4 e6,d5 e4-e5,d3 e5-e6,d4 e4-e6,d3 "
        "e4,d4 e5,d5 e6,d6 e4-e5,d4 e5-e6,d5 e4-e6,d4"
    )


def test_legal_moves_are_those_with_nothing_against_them() -> None:
    """The search on sets of cells and the check of one move agree on everything."""
    every_move = [LineMove(line, step) for line in LINES for step in STEPS]
    for position in some_positions(8):
        legal = set(position.legal_moves())
        assert len(legal) == len(position.legal_moves())
        assert legal == {one for one in every_move if why_not(position, one) is None}


def test_rear_and_front() -> None:
    backwards = LineMove(set_of((parse_cell("e5"), parse_cell("e6"))), -1)
    assert (backwards.rear, backwards.front) == (parse_cell("e6"), parse_cell("e5"))
