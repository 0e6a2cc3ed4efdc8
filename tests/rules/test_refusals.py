"""Every refusal of a move: its reason, and its sentence in the position at hand."""

import re

import pytest

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.random_positions import some_positions
from tests.rules.reasons import ILLEGAL_MOVE_REASONS, NOTATION_REASONS
from tests.rules.sentences import told
from tests.rules.setups import CELLS, placed, teamed

START = rules.start("standard", 2)
OVER = START.leave(2)

NOTATION = [
    (START, "hello", "not-a-move", "That does not read as a move; a move looks like a1-c3,b2."),
    (START, "", "not-a-move", "That does not read as a move; a move looks like a1-c3,b2."),
    (START, "c5-d5", "not-a-move", "That does not read as a move. Perhaps c5,d5 was meant."),
    (START, "c5 d5", "not-a-move", "That does not read as a move. Perhaps c5,d5 was meant."),
    (START, "a1c3d4", "not-a-move", "That does not read as a move. Perhaps a1-c3,b2 was meant."),
    (START, "A1,C3,D4.", "not-a-move", "That does not read as a move. Perhaps a1-c3,b2 was meant."),
    (OVER, "a1-c3-d4", "not-a-move", "That does not read as a move."),
    (START, "a6,a5", "no-such-cell", "There is no place a6: row a goes from a1 to a5."),
    (START, "a1-c9,d4", "no-such-cell", "There is no place c9: row c goes from c1 to c7."),
    (START, "i9,i10", "no-such-cell", "There is no place i10: row i goes from i5 to i9."),
    (START, "h1-g1", "not-a-move", "There is no place h1: row h goes from h4 to h9."),
    (
        START,
        "Pass.",
        "no-pass",
        "You cannot pass in this game: you must move if you can. A player without a legal move is "
        "passed over.",
    ),
    (START, "j4,e5", "no-such-cell", "There is no place j4: the rows are a to i."),
    (
        START,
        "c5,c5",
        "same-cell",
        "c5,c5 goes nowhere: after the comma comes the cell to move to.",
    ),
    (
        START,
        "c5,e5",
        "not-one-step",
        "e5 is not next to c5: marbles move one cell. Perhaps c5,d5 was meant.",
    ),
    (START, "e5,e8", "not-one-step", "e8 is not next to e5: marbles move one cell."),
    (START, "a1-b3,c4", "not-straight", "a1 and b3 are not on one straight line."),
    (
        placed("a1 b2 c3 d4", "i9"),
        "a1-d4,e5",
        "too-many",
        "a1-d4 is a line of 4; at most three marbles move at once. Perhaps b2-d4,c3 was meant.",
    ),
    (
        placed("a1 b2 c3 d4 e5 f6", "i9"),
        "a1-f6,g7",  # nothing near enough to offer
        "too-many",
        "a1-f6 is a line of 6; at most three marbles move at once.",
    ),
    (
        START,
        "a1-a4,b2",
        "too-many",
        "a1-a4 is a line of 4; at most three marbles move at once.",
    ),
    (
        START,
        "a1-c3,e5",
        "no-direction",
        "e5 is next to neither a1 nor c3, so the direction is not clear."
        " Perhaps a1-c3,b2 was meant.",
    ),
    (
        START,
        "e1-e3,i9",
        "no-direction",
        "i9 is next to neither e1 nor e3, so the direction is not clear.",
    ),
]

ILLEGAL = [
    (OVER, "c5,d5", "game-over", "This game is over."),
    (START, "e5,e6", "empty-cell", "There is no marble on e5."),
    (placed("d4", "i9"), "e5,f6", "empty-cell", "There is no marble on e5."),
    (START, "d4-e5,f6", "empty-cell", "There are no marbles on d4 and e5."),
    (
        START,
        "c5-d5,e5",
        "empty-cell",
        "There is no marble on d5. Perhaps c5,d5 was meant.",
    ),
    (
        placed("c3 c5", "i9"),
        "c3-c5,c6",
        "gap",
        "The line c3-c5 has a gap: c4 is empty.",
    ),
    (START, "g5,f5", "not-yours", "x's marble on g5 is not yours; you are o."),
    (
        placed("i9", "a1 e5", "f6", turn=2),
        "e5-f6,g7",
        "not-yours",
        "3's marble on f6 is not yours; you are 2.",
    ),
    (
        placed("c3 d4", "e5"),
        "c3-e5,f6",
        "not-yours",
        "x's marble on e5 is not yours; you are o. Perhaps c3-d4,d4 was meant.",
    ),
    (
        placed("a1", "g3 g4 g5"),
        "g3-g5,f3",
        "not-yours",
        "x's marbles on g3, g4 and g5 are not yours; you are o.",
    ),
    (
        START,
        "a1-b2,c3",
        "own-in-the-way",
        "Your own marble on c3 is in the way. Perhaps a1-c3,b2 was meant.",
    ),
    (START, "a1,a2", "own-in-the-way", "Your own marble on a2 is in the way."),
    (
        placed("d4", "e5"),
        "d4,e5",
        "one-cannot-push",
        "One marble cannot push, and x's marble on e5 is in the way.",
    ),
    (
        placed("d4", "e5 f6"),
        "d4,e5",
        "one-cannot-push",
        "One marble cannot push, and x's marble on e5 is in the way.",
    ),
    (
        placed("c3 d4", "e5"),
        "d4,e5",
        "one-cannot-push",
        "One marble cannot push, and x's marble on e5 is in the way. Perhaps c3-d4,d4 was meant.",
    ),
    (
        placed("b2 c3 d4", "e5 f6"),
        "d4,e5",
        "one-cannot-push",
        "One marble cannot push, and x's marble on e5 is in the way. Perhaps b2-d4,c3 was meant.",
    ),
    (
        placed("c3 d4", "e5 f6"),
        "c3-d4,e5",
        "outnumbered",
        "Two marbles push one at most, and x's marbles on e5 and f6 are in the way.",
    ),
    (
        placed("b2 c3 d4", "e5 f6"),
        "c3-d4,e5",
        "outnumbered",
        "Two marbles push one at most, and x's marbles on e5 and f6 are in the way."
        " Perhaps b2-d4,c3 was meant.",
    ),
    (
        placed("b2 c3 d4", "e5 g7", "f6 h8"),
        "b2-d4,e5",
        "outnumbered",
        "Three marbles push two at most, and 2's marble on e5, 3's marble on f6, 2's marble on g7"
        " and 3's marble on h8 are in the way.",
    ),
    (
        placed("c3 d4 f6", "e5"),
        "c3-d4,e5",
        "push-blocked",
        "x's marble on e5 cannot be pushed: your own marble on f6 is behind.",
    ),
    (
        placed("b2 c3 d4 g7", "e5", "f6"),
        "b2-d4,e5",
        "push-blocked",
        "2's marble on e5 and 3's marble on f6 cannot be pushed: your own marble on g7 is behind.",
    ),
    (START, "a5-a4,a5", "own-off-board", "Your own marble on a5 would leave the board."),
    (START, "a4-a5,a5", "own-off-board", "Your own marble on a5 would leave the board."),
    (
        placed("c3 c4", "d4"),
        "c3-c4,d3",
        "sideways-push",
        "A line that moves sideways cannot push, and x's marble on d4 is in the way."
        " Perhaps c3,d3 was meant.",
    ),
    (
        placed("c3 c4", "d3", "d4"),
        "c3-c4,d3",
        "sideways-push",
        "A line that moves sideways cannot push, and 2's marble on d3 and 3's marble on d4 are"
        " in the way.",
    ),
    (
        placed("c3 c4 d3 d4", "i9"),
        "c3-c4,d3",
        "sideways-blocked",
        "Your own marbles on d3 and d4 are in the way.",
    ),
    (
        placed("b1 c2 e5", "i9"),
        "c2-b1,c1",
        "sideways-off-board",
        "Your own marble on b1 would leave the board. Perhaps c2,c1 was meant.",
    ),
]

# Seats 1 and 3 play seats 2 and 4.
IN_TEAMS = [
    (
        teamed("c3 c5", "i9", "c4"),
        "c4-c5,c6",
        "partner-at-rear",
        "3's marble on c4 is your partner's; you are 1, and the rear marble of a line that moves"
        " along itself must be your own. Perhaps c5,c6 was meant.",
    ),
    (
        teamed("a1", "i9", "e5 e6"),
        "e5-e6,f5",
        "no-own-marble",
        "3's marbles on e5 and e6 are your partner's; you are 1, and a marble of your own must move"
        " along.",
    ),
    (
        teamed("e5", "i9", "e6"),
        "e6,f6",
        "no-own-marble",
        "3's marble on e6 is your partner's; you are 1, and a marble of your own must move along."
        " Perhaps e5-e6,f5 was meant.",
    ),
    (
        teamed("c3 d4", "e6", "e5"),
        "c3-d4,e5",
        "partner-in-the-way",
        "Your partner's marble on e5 is in the way, and cannot be pushed."
        " Perhaps c3-e5,d4 was meant.",
    ),
    (
        teamed("e5 e6", "e7", "e8"),
        "e5-e6,e7",
        "push-against-partner",
        "2's marble on e7 cannot be pushed: your partner's marble on e8 is behind.",
    ),
    (
        teamed("e7 e8", "i9", "e9"),
        "e7-e9,e8",
        "partner-off-board",
        "Your partner's marble on e9 would leave the board.",
    ),
    (
        teamed("b1", "i9", "c2"),
        "c2-b1,c1",
        "sideways-off-board",
        "Your own marble on b1 would leave the board.",
    ),
    (
        teamed("c2", "i9", "b1"),
        "c2-b1,c1",
        "sideways-off-board",
        "Your partner's marble on b1 would leave the board. Perhaps c2,c1 was meant.",
    ),
    (
        teamed("c3 c4 d3", "i9", "d4"),
        "c3-c4,d3",
        "sideways-blocked",
        "Your own marble on d3 and your partner's marble on d4 are in the way.",
    ),
    (
        teamed("c3 c4", "d3", "d4"),
        "c3-c4,d3",
        "sideways-push",
        "A line that moves sideways cannot push, and 2's marble on d3 is in the way.",
    ),
]

PILLAR = [
    (
        placed("d4", "i9", pillar=True),
        "d4,e5",
        "pillar-in-the-way",
        "The fixed marble on e5 is in the way.",
    ),
    (
        placed("d4 d5", "i9", pillar=True),
        "d4-d5,e4",
        "pillar-in-the-way",
        "The fixed marble on e5 is in the way. Perhaps d4,e4 was meant.",
    ),
    (
        placed("b2 c3", "d4", pillar=True),
        "b2-c3,d4",
        "push-against-pillar",
        "x's marble on d4 cannot be pushed: the fixed marble on e5 is behind.",
    ),
    (
        placed("d4 f6", "i9", pillar=True),
        "e5,f5",
        "fixed-marble",
        "The fixed marble on e5 is nobody's, and never moves.",
    ),
    (
        placed("d4 f6", "i9", pillar=True),
        "d4-f6,g7",
        "fixed-marble",
        "The fixed marble on e5 is nobody's, and never moves. Perhaps f6,g7 was meant.",
    ),
]


@each_row(("position", "text", "reason", "sentence"), NOTATION)
def test_no_move_anywhere(
    position: rules.AbalonePosition, text: str, reason: str, sentence: str
) -> None:
    with pytest.raises(rules.NotationError) as error:
        rules.parse_move(text, position)
    assert (error.value.reason, told(error.value)) == (reason, sentence)


@each_row(("position", "text", "reason", "sentence"), ILLEGAL + IN_TEAMS + PILLAR)
def test_no_move_here(
    position: rules.AbalonePosition, text: str, reason: str, sentence: str
) -> None:
    with pytest.raises(rules.IllegalMoveError) as error:
        rules.parse_move(text, position)
    assert (error.value.reason, told(error.value)) == (reason, sentence)


def test_every_reason_is_shown_above() -> None:
    assert {row[2] for row in NOTATION} == set(NOTATION_REASONS)
    about_leaving = {"no-such-seat", "already-out"}
    assert {row[2] for row in ILLEGAL + IN_TEAMS + PILLAR} == set(
        ILLEGAL_MOVE_REASONS
    ) - about_leaving


def test_a_legal_move_of_another_position_is_refused_by_play() -> None:
    move = rules.parse_move("e5-f5,e6", placed("e5 f5", "i9"))
    with pytest.raises(rules.IllegalMoveError) as error:
        START.play(move)
    assert error.value.reason == "empty-cell"


def test_what_was_perhaps_meant_is_legal() -> None:
    offers = 0
    for position in some_positions(10):
        for refused in _refusals(position):
            offered = re.search(r"Perhaps (\S+) was meant\.$", told(refused))
            if offered:
                offers += 1
                assert rules.parse_move(offered[1], position) in position.legal_moves()
    assert offers > 100


def _refusals(position: rules.AbalonePosition) -> list[rules.RulesError]:
    """What is said of many texts that name a marble of the mover."""
    refused = []
    for first in CELLS[::3]:
        for last in CELLS[::2]:
            for text in (f"{first},{last}", f"{first}-{last},e5", f"{last}-{first},{last}"):
                try:
                    rules.parse_move(text, position)
                except rules.RulesError as error:
                    refused.append(error)
    return refused
