"""The cases that the rules decide by name: what each of them does, or says."""

import pytest

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.sentences import told
from tests.rules.setups import marbles, move, placed, teamed

START = rules.start()
EDGE = placed("c3 e7 f8", "i5 g9")
OVER = START.leave(2)


def said(text: str, position: rules.AbalonePosition) -> tuple[str, str]:
    """The reason and the sentence of a refusal."""
    with pytest.raises(rules.RulesError) as error:
        rules.parse_move(text, position)
    return error.value.reason, told(error.value)


@pytest.mark.parametrize(
    ("text", "canonical", "after"),
    [
        ("c3-c4,d4", "c3-c4,d4", "a1 a2 a3 a4 a5 b1 b2 b3 b4 b5 b6 c5 d4 d5"),
        ("c4-c3,d4", "c3-c4,d3", "a1 a2 a3 a4 a5 b1 b2 b3 b4 b5 b6 c5 d3 d4"),
    ],
)
def test_of_a_cell_next_to_both_ends_the_first_named_end_decides(
    text: str, canonical: str, after: str
) -> None:
    played = move(text, START)
    assert str(played.move) == canonical
    assert marbles(played.position, 1) == after


@pytest.mark.parametrize("text", ["e7-f8,f8", "e7-f8,g9"])
def test_a_push_off_the_board_is_one_move_in_both_spellings(text: str) -> None:
    played = move(text, EDGE)
    assert str(played.move) == "e7-f8,f8"
    assert (played.ejected, played.effect.get("from")) == ((2,), "g9")
    assert [marbles(played.position, seat) for seat in (1, 2)] == ["c3 f8 g9", "i5"]
    assert played.position.scores == (1, 0)


def test_two_named_of_three_are_blocked_by_the_third() -> None:
    sentence = "Your own marble on c3 is in the way. Perhaps a1-c3,b2 was meant."
    assert said("a1-b2,c3", START) == ("own-in-the-way", sentence)
    assert marbles(move("a1-c3,d4", START).position, 1).startswith("a2 a3 a4 a5 b1 b2 b3")


def test_two_named_of_three_push_with_the_strength_of_two() -> None:
    position = placed("b2 c3 d4", "e5 f6")
    assert said("c3-d4,e5", position)[0] == "outnumbered"
    assert marbles(move("b2-d4,e5", position).position, 2) == "f6 g7"


def test_four_marbles_are_no_move_anywhere() -> None:
    text = "a1-d4 is a line of 4; at most three marbles move at once."
    in_a_line = placed("a1 b2 c3 d4", "i9")
    assert said("a1-d4,e5", in_a_line) == ("too-many", f"{text} Perhaps b2-d4,c3 was meant.")
    for position in (START, OVER, placed("a1", "d4")):
        reason, sentence = said("a1-d4,e5", position)
        assert reason == "too-many"
        assert sentence.startswith(text)


def test_four_marbles_push_no_more_than_three() -> None:
    four_against_three = placed("a1 b2 c3 d4", "e5 f6 g7")
    assert said("b2-d4,e5", four_against_three)[0] == "outnumbered"
    assert said("a1-c3,d4", four_against_three)[0] == "own-in-the-way"


def test_a_gap_in_the_line() -> None:
    sentence = "The line c3-c5 has a gap: c4 is empty."
    assert said("c3-c5,c6", placed("c3 c5", "i9")) == ("gap", sentence)
    # Sideways as well, and where it is no empty cell but somebody else's marble.
    assert said("c3-c5,d4", placed("c3 c5", "i9"))[0] == "gap"
    assert said("c3-c5,c6", placed("c3 c5", "c4"))[0] == "not-yours"


def test_the_partners_marble_at_the_rear() -> None:
    position = teamed("c4 c5", "i9", "c3")
    sentence = (
        "3's marble on c3 is your partner's; you are 1, and the rear marble of a line that moves"
        " along itself must be your own. Perhaps c4-c5,c5 was meant."
    )
    assert said("c3-c5,c6", position) == ("partner-at-rear", sentence)
    # The other way round the rear is an own one, and sideways it makes no difference.
    assert marbles(move("c5-c3,c2", position).position, 3) == "c2"
    assert marbles(move("c3-c5,d4", position).position, 3) == "d4"


def test_a_push_against_the_pillar() -> None:
    position = placed("b2 c3", "d4", pillar=True)
    sentence = "x's marble on d4 cannot be pushed: the fixed marble on e5 is behind."
    assert said("b2-c3,d4", position) == ("push-against-pillar", sentence)
    # Two between a line of three and the pillar, and the pillar itself at the head of the line.
    two_between = placed("a1 b2 i9", "c3 d4", pillar=True)
    assert said("a1-b2,c3", two_between)[0] == "outnumbered"
    assert said("c3-d4,e5", placed("c3 d4", "i9", pillar=True))[0] == "pillar-in-the-way"


@each_row(
    ("text", "reason"),
    [
        ("hello", "not-a-move"),
        ("a6,a5", "no-such-cell"),
        ("c5,c5", "same-cell"),
        ("c5,e5", "not-one-step"),
        ("a1-b3,c4", "not-straight"),
        ("a1-d4,e5", "too-many"),
        ("a1-c3,e5", "no-direction"),
    ],
)
def test_what_is_no_move_anywhere_is_none_after_the_end(text: str, reason: str) -> None:
    with pytest.raises(rules.NotationError) as error:
        rules.parse_move(text, OVER)
    assert error.value.reason == reason


def test_what_is_a_move_elsewhere_is_only_refused() -> None:
    for position in (OVER, placed("a1", "i9")):
        with pytest.raises(rules.IllegalMoveError):
            rules.parse_move("c5,d5", position)
