"""Aba-Pro notation, both ways."""

import pytest

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.random_positions import SETUPS, some_positions
from tests.rules.sentences import told
from tests.rules.setups import placed, teamed

START = rules.start()
OVER = START.leave(2)


@each_row(
    ("position", "usual", "abapro"),
    [
        (START, "a1-c3,b2", "i5h5"),
        (START, "c5,d5", "g7f6"),
        (START, "c4-c5,c5", "g6g7"),
        (START, "c3-c5,d3", "g5g7f4"),
        (START, "c3-c5,d4", "g5g7f5"),
        (rules.start("classic"), "i5-g5,h5", "a1b2"),
        (placed("c5 c6 c7", "i9"), "c5-c7,d5", "g7g9f6"),
        (placed("c5 c6 c7", "i9"), "c5-c7,d6", "g7g9f7"),
        # A line that goes on to the lower left is written from its lower end, as Aba-Pro counts.
        (placed("e5 f5 g5", "i9"), "e5-g5,e6", "c3e5c4"),
        (placed("e5", "i9"), "e5,d5", "e5f6"),
        (placed("e5", "i9"), "e5,e4", "e5e4"),
        (placed("e4 e5 e6", "e7 e8"), "e4-e6,e5", "e4e5"),
        (teamed("e4", "e7", "e5 e6"), "e4-e6,e5", "e4e5"),
    ],
)
def test_both_ways(position: rules.AbalonePosition, usual: str, abapro: str) -> None:
    move = rules.parse_move(usual, position)
    assert rules.format_abapro(move, position) == abapro
    assert rules.parse_abapro(abapro, position) == move


def test_all_legal_moves_are_read_back() -> None:
    for position in some_positions(2 * len(SETUPS)):
        moves = position.legal_moves()
        texts = [rules.format_abapro(move, position) for move in moves]
        assert [rules.parse_abapro(text, position) for text in texts] == list(moves)
        assert len(set(texts)) == len(texts)


def test_either_end_may_come_first() -> None:
    position = placed("c5 c6 c7", "i9")
    assert rules.parse_abapro("g9g7f9", position) == rules.parse_abapro("g7g9f7", position)


@each_row("text", ["I5H5", " i5 h5 ", "i5\nh5", "I5h5"])
def test_capitals_and_blanks_make_no_difference(text: str) -> None:
    assert str(rules.parse_abapro(text, START)) == "a1-c3,b2"


@each_row(
    ("text", "reason"),
    [
        ("", "not-a-move"),
        ("a1-c3,d4", "not-a-move"),
        ("i5", "not-a-move"),
        ("i5h5g5f5", "not-a-move"),
        ("i5h5.", "not-a-move"),
        ("ｉ５ｈ５", "not-a-move"),
        ("i٥h٥", "not-a-move"),
        ("ı5h5", "not-a-move"),
        ("i5h5" * 10**5, "not-a-move"),
        (" " * 10**6, "not-a-move"),
        ("i4h5", "no-such-cell"),
        ("i5i0", "no-such-cell"),
        ("g5g8f5", "too-many"),
        ("g5f6e5", "not-straight"),
        ("g5e6f5", "not-straight"),
        ("i5g5", "not-one-step"),
        ("i5i5", "same-cell"),
        ("g5g7g5", "same-cell"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_no_move_anywhere(text: str, reason: str) -> None:
    for position in (START, OVER):
        with pytest.raises(rules.NotationError) as error:
            rules.parse_abapro(text, position)
        assert error.value.reason == reason


@each_row(
    ("position", "text", "reason", "sentence"),
    [
        (OVER, "i5h5", "game-over", "This game is over."),
        (
            START,
            "e5e6",
            "empty-cell",
            "e5e6 in Aba-Pro is e5,e6 on this board. There is no marble on e5.",
        ),
        (
            placed("a1 b2 c3 d4", "i9"),
            "i5h5",
            "own-in-the-way",
            "i5h5 in Aba-Pro is a1-c3,b2 on this board. Your own marble on d4 is in the way."
            " Perhaps b2-d4,c3 was meant.",
        ),
        (
            placed("e7", "e9 e8", turn=2),
            "e8e9",
            "own-off-board",
            "e8e9 in Aba-Pro is e8-e9,e9 on this board."
            " Your own marble on e9 would leave the board.",
        ),
        (
            placed("b1 c2 e5", "i9"),
            "g4h4g3",
            "sideways-off-board",
            # The move cannot be written: the end that our notation names first would leave.
            "Your own marble on b1 would leave the board. Perhaps c2,c1 was meant.",
        ),
        (
            teamed("c3", "i9", "c2"),
            "g4g5",
            "partner-at-rear",
            None,
        ),
    ],
)
def test_no_move_here(
    position: rules.AbalonePosition, text: str, reason: str, sentence: str | None
) -> None:
    with pytest.raises(rules.RulesError) as error:
        rules.parse_abapro(text, position)
    assert error.value.reason == reason
    assert sentence in (None, told(error.value))


def test_a_move_of_another_position_is_not_written() -> None:
    move = rules.parse_move("a1-c3,b2", START)
    with pytest.raises(rules.IllegalMoveError):
        rules.format_abapro(move, placed("a1", "i9"))
