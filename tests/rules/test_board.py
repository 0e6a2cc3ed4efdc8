"""Cells, steps and lines."""

import pytest

from pbm.rules.abalone import NotationError
from pbm.rules.abalone.board import (
    BOARD,
    CELLS,
    CENTRE,
    LINES,
    STEPS,
    distance,
    format_cell,
    is_on_board,
    line_between,
    members,
    parse_cell,
    set_of,
)
from tests.rows import each_row


def neighbours(cell: int) -> set[str]:
    return {format_cell(cell + step) for step in STEPS if is_on_board(cell + step)}


def test_the_rows() -> None:
    rows = {
        row: "".join(format_cell(c)[1] for c in CELLS if c // 10 == row) for row in range(1, 10)
    }
    assert list(rows.values()) == [
        "12345",
        "123456",
        "1234567",
        "12345678",
        "123456789",
        "23456789",
        "3456789",
        "456789",
        "56789",
    ]


@each_row(
    ("cell", "expected"),
    [
        ("e5", "e4 e6 d5 f5 f6 d4"),
        ("a1", "a2 b1 b2"),
        ("a5", "a4 b5 b6"),
        ("e1", "d1 e2 f2"),
        ("e9", "d8 e8 f9"),
        ("i5", "i6 h5 h4"),
        ("i9", "i8 h9 h8"),
    ],
)
def test_the_neighbours(cell: str, expected: str) -> None:
    assert neighbours(parse_cell(cell)) == set(expected.split())


def test_names_are_read_and_written_alike() -> None:
    assert [parse_cell(format_cell(cell)) for cell in CELLS] == list(CELLS)
    assert format_cell(CENTRE) == "e5"


@each_row("name", ["", "a", "a0", "a6", "a10", "e10", "f1", "i4", "j5", "5e", "aa"])
def test_what_is_no_cell(name: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_cell(name)
    assert error.value.reason == "no-such-cell"


def test_lines_have_one_two_or_three_cells() -> None:
    sizes = [len(line) for line in LINES.values()]
    assert [sizes.count(size) for size in (1, 2, 3)] == [61, 156, 129]
    assert all(set(line) <= set(CELLS) for line in LINES.values())


def test_a_line_lies_between_two_cells_only_if_steps_lead_there() -> None:
    for one in CELLS:
        reached: dict[int, tuple[int, ...]] = {one: (one,)}
        for step in STEPS:
            line = [one]
            while is_on_board(line[-1] + step):
                line.append(line[-1] + step)
                reached[line[-1]] = tuple(line)
        assert {other: line_between(one, other) for other in CELLS} == {
            other: reached.get(other) for other in CELLS
        }


def test_distance_counts_steps() -> None:
    for one in CELLS:
        far = {one: 0}
        for cell in (queue := [one]):
            for step in STEPS:
                if is_on_board(cell + step) and cell + step not in far:
                    far[cell + step] = far[cell] + 1
                    queue.append(cell + step)
        assert {other: distance(one, other) for other in CELLS} == far


def test_sets_hold_their_members() -> None:
    assert tuple(members(BOARD)) == CELLS
    assert set_of(CELLS) == BOARD
    assert list(members(0)) == []
