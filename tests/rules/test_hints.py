"""The example move that every mail shows."""

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.random_positions import some_positions
from tests.rules.setups import placed


@each_row(
    ("board", "players", "text"),
    [
        ("standard", 2, "a1-c3,b2"),
        ("standard", 3, "a1-b2,b2"),
        ("standard", 6, "a2-c4,b3"),
        ("bowl", 2, "a1-c3,b2"),
        ("bowl", 5, "e9-e7,e8"),
    ],
)
def test_an_advance_of_the_longest_line_towards_the_centre(
    board: str, players: int, text: str
) -> None:
    assert rules.example_moves(rules.start(board, players))[0] == text


def test_rather_two_forward_than_three_away() -> None:
    assert rules.example_moves(placed("a1 b2 e4 e5 e6", "i9"))[0] == "a1-b2,b2"


def test_rather_two_forward_than_three_along() -> None:
    assert rules.example_moves(placed("a1 b2 d3 d4 d5", "i9"))[0] == "a1-b2,b2"


def test_an_example_is_legal() -> None:
    for position in some_positions(20):
        assert rules.example_moves(position)[0] in map(str, position.legal_moves())


def test_there_is_none_after_the_end() -> None:
    assert rules.example_moves(rules.start().leave(1)) == ()
