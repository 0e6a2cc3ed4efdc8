"""What the rules say a picture shows."""

import json
from math import dist
from random import Random

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import CELL_NAMED, CELLS, STEPS
from pbm.rules.abalone.drawing import told_move
from pbm.rules.contract import Moved
from tests.rows import each_row
from tests.rules.random_games import pick

NAMES = rules.GROUND.names


def drawn(state: str, *texts: str) -> dict[str, object]:
    """The drawing of the position that moves lead to."""
    position, moves = rules.parse_state(state), []
    for text in texts:
        seat = position.turn or 0
        played = position.play(rules.parse_move(text, position))
        moves.append(Moved(seat, str(played.move), played.effect))
        position = played.position
    return rules.drawing(position, tuple(moves))


def marked(state: str, *texts: str) -> list[dict[str, object]]:
    """How moves are marked."""
    found = drawn(state, *texts)["moves"]
    assert isinstance(found, list)
    return found


def named(indices: object) -> list[str]:
    assert isinstance(indices, list)
    return [NAMES[index] for index in indices]


def test_the_cells_lie_as_in_the_diagram() -> None:
    lines = rules.start().drawn().split("\n")[2:]
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


def test_a_label_stands_off_the_board_in_line_with_its_cells() -> None:
    places = [at for _, at in rules.GROUND.labels]
    for label, at in rules.GROUND.labels:
        near = min(dist(at, cell) for cell in rules.GROUND.cells)
        assert near > 1, label
        assert min(dist(at, other) for other in places if other != at) > 0.5, label
        line = [
            cell
            for name, cell in zip(NAMES, rules.GROUND.cells, strict=True)
            if label.lower() in name
        ]
        assert on_one_line([at, *line]), label


def test_every_row_and_column_has_one_label_as_in_the_text_board() -> None:
    assert sorted(label for label, _ in rules.GROUND.labels) == [*"123456789ABCDEFGHI"]


def test_a_stroke_leads_from_the_label_of_each_column_to_its_end() -> None:
    ground = rules.GROUND
    columns = [place for place in ground.labels if place[0].isdigit()]
    assert len(ground.strokes) == len(columns) == 9
    for (_, label), (inner, outer) in zip(columns, ground.strokes, strict=True):
        last = min(ground.cells, key=lambda cell: dist(cell, inner))
        assert on_one_line([last, inner, outer, label])
        assert 0.5 < dist(last, inner) < dist(last, outer) < dist(last, label)
        # No other label stands in its way.
        for other in (at for _, at in ground.labels if at != label):
            assert min(dist(other, point) for point in between(inner, outer)) > 0.25


def on_one_line(points: list[tuple[float, float]]) -> bool:
    (x, y), (far_x, far_y) = points[0], points[-1]
    return all(
        abs((far_x - x) * (there - y) - (far_y - y) * (here - x)) < 1e-9 for here, there in points
    )


def between(one: tuple[float, float], other: tuple[float, float]) -> list[tuple[float, float]]:
    (x, y), (far_x, far_y) = one, other
    return [(x + part * (far_x - x) / 20, y + part * (far_y - y) / 20) for part in range(21)]


@each_row(
    ("text", "left", "came", "towards"),
    [
        ("a1-c3,d4", ["a1"], ["d4", "c3", "b2"], 60),
        ("c3,d3", ["c3"], ["d3"], 120),
        ("c3-c5,d4", ["c3", "c4", "c5"], ["d4", "d5", "d6"], 60),
    ],
)
def test_what_moved(text: str, left: list[str], came: list[str], towards: int) -> None:
    (found,) = marked(rules.start().state(), text)
    assert (named(found["left"]), named(found["came"])) == (left, came)
    assert (found["towards"], found["off"]) == (towards, None)


def test_who_went_over_the_edge() -> None:
    state = "22111/....../......./......../........./......../......./....../..... 1 0,0 -"
    (found,) = marked(state, "a5-a3,a2")
    assert found["off"] == [NAMES.index("a1"), "2"]
    assert (found["towards"], found["left"]) == (180, [NAMES.index("a5")])
    assert drawn(state, "a5-a3,a2")["signs"] == "2111" + "." * 57


def test_moves_are_told_in_the_order_in_which_they_were_played() -> None:
    state = rules.start("standard", 6).state()
    found = marked(state, "a2-c4,d5", "d8-d6,d5", "g8,g7", "i8-g6,f5")
    assert [move["move"] for move in found] == ["a2-c4,b3", "d8-d6,d7", "g8,g7", "i8-g6,h7"]


def test_a_piece_is_marked_while_it_is_where_it_came_to() -> None:
    state = "...../....../......./......../1.2233.../......../......./....../..... 1 0,0,0 -"
    first, second = marked(state, "e1,e2", "e4-e3,e2")
    assert (first["came"], named(second["came"])) == ([], ["e2", "e3"])
    state = "...../....../......./......../11.222.33/......../......./....../..... 1 0,0,0 -"
    first, second = marked(state, "e1-e2,e3", "e6-e4,e3")
    assert named(first["came"]) == ["e2"]


def test_nothing_has_moved_at_the_start() -> None:
    found = rules.drawing(rules.start("bowl", 6), ())
    assert found["moves"] == []
    assert found["seats"] == "123456"


def test_a_pillar_is_told_from_the_pieces() -> None:
    assert rules.drawing(rules.start("standard", 2, pillar=True), ())["signs"][30] == "#"


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_drawing_agrees_with_its_position_and_is_plain_data(players: int) -> None:
    position, dice = rules.start("standard", players), Random(players)
    moves: list[Moved] = []
    for _ in range(60):
        seat, played = position.turn or 0, pick(dice, position)
        position, moves = played.position, moves[1 - players :]
        moves.append(Moved(seat, str(played.move), played.effect))
        if position.turn is None:
            break
        found = rules.drawing(position, tuple(moves))
        assert json.loads(json.dumps(found)) == found
        assert len(json.dumps(found)) < 100 + 140 * players  # it is kept with every mail that waits
        last = found["moves"][-1]
        came = [cell + played.move.step for cell in played.move.cells]
        assert sorted(last["came"]) == [CELLS.index(cell) for cell in came]
        assert all(found["signs"][index] == "." for index in last["left"])
        for told, move in zip(found["moves"], moves, strict=True):
            assert all(found["signs"][index] == str(move.seat) for index in told["came"])
        for name, sign in zip(NAMES, found["signs"], strict=True):
            assert position.seat_at(CELL_NAMED[name]) == (None if sign == "." else int(sign))


def test_a_move_is_told_in_names() -> None:
    position = rules.start()
    played = position.play(rules.parse_move("a1-c3,d4", position))
    told = told_move(played.position, Moved(1, str(played.move)))
    assert told == {"symbol": "o", "came": ["b2", "c3", "d4"], "left": ["a1"], "off": None}


def test_a_move_tells_who_went_over_the_edge() -> None:
    state = "22111/....../......./......../........./......../......./....../..... 1 0,0 -"
    position = rules.parse_state(state)
    played = position.play(rules.parse_move("a5-a3,a2", position))
    told = told_move(played.position, Moved(1, str(played.move), played.effect))
    assert told["off"] == {"symbol": "x", "from": "a1"}
