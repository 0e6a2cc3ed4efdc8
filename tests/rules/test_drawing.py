"""What the rules say a picture shows."""

import json
from math import dist
from random import Random

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import CELL_NAMED, CELLS, STEPS
from tests.rules.random_games import pick

NAMES = rules.GROUND.names


def drawn(state: str, text: str) -> dict[str, object]:
    """The drawing of the position that a move leads to."""
    position = rules.parse_state(state)
    played = rules.play(position, rules.parse_move(text, position))
    return rules.drawing(played.position, str(played.move), rules.effect(played))


def named(indices: object) -> list[str]:
    assert isinstance(indices, list)
    return [NAMES[index] for index in indices]


def test_the_cells_lie_as_in_the_diagram() -> None:
    lines = rules.diagram(rules.start()).split("\n")[2:]
    for name, (x, y) in zip(NAMES, rules.GROUND.cells, strict=True):
        row = ord(name[0]) - ord("a")
        assert y == pytest.approx((row - 4) * 3**0.5 / 2)
        column = 8 + round(2 * x)  # a cell takes two characters
        assert lines[row][column + 3] in ".ox", (name, lines[row])


def test_neighbours_are_one_step_apart() -> None:
    place = dict(zip(CELLS, rules.GROUND.cells, strict=True))
    for cell in CELLS:
        for step in STEPS:
            if cell + step in place:
                assert dist(place[cell], place[cell + step]) == pytest.approx(1)


def test_labels_stand_off_the_board_in_line_with_their_cells() -> None:
    assert "".join(label for label, _ in rules.GROUND.labels) == "ABCDEFGHI123456789"
    for label, at in rules.GROUND.labels:
        near = min(dist(at, cell) for cell in rules.GROUND.cells)
        assert near > 1, label
        first = next(name for name in NAMES if label.lower() in name)
        if label.isalpha():
            assert at[1] == rules.GROUND.cells[NAMES.index(first)][1]


@pytest.mark.parametrize(
    ("text", "left", "came", "towards"),
    [
        ("a1-c3,d4", ["a1"], ["b2", "c3", "d4"], 60),
        ("c3,d3", ["c3"], ["d3"], 120),
        ("c3-c5,d4", ["c3", "c4", "c5"], ["d4", "d5", "d6"], 60),
    ],
)
def test_what_moved(text: str, left: list[str], came: list[str], towards: int) -> None:
    found = drawn(rules.format_state(rules.start()), text)
    assert (named(found["left"]), named(found["came"])) == (left, came)
    assert (found["towards"], found["off"]) == (towards, None)


def test_who_went_over_the_edge() -> None:
    state = "22111/....../......./......../........./......../......./....../..... 1 0,0 -"
    found = drawn(state, "a5-a3,a2")
    assert found["off"] == [NAMES.index("a1"), "2"]
    assert (found["towards"], found["signs"]) == (180, "2111" + "." * 57)


def test_nothing_has_moved_at_the_start() -> None:
    found = rules.drawing(rules.start("bowl", 6))
    assert set(found) == {"signs", "seats"}
    assert found["seats"] == "123456"


def test_a_pillar_is_told_from_the_pieces() -> None:
    assert rules.drawing(rules.start("standard", 2, pillar=True))["signs"][30] == "#"


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_drawing_agrees_with_its_position_and_is_plain_data(players: int) -> None:
    position, dice = rules.start("standard", players), Random(players)
    for _ in range(60):
        played = pick(dice, position)
        position, move = played.position, played.move
        if position.turn is None:
            break
        found = rules.drawing(position, str(move), rules.effect(played))
        assert json.loads(json.dumps(found)) == found
        assert len(json.dumps(found)) < 220  # it is kept with every mail that waits
        assert found["came"] == [CELLS.index(cell + move.step) for cell in move.cells]
        assert all(found["signs"][index] == "." for index in found["left"])
        for name, sign in zip(NAMES, found["signs"], strict=True):
            assert position.seat_at(CELL_NAMED[name]) == (None if sign == "." else int(sign))
