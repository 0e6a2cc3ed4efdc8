"""Where each seat's marbles start, in words."""

import pytest

from pbm import rules

HOMES = {
    ("standard", 2): ["top", "bottom"],
    ("standard", 3): ["top", "lower right", "lower left"],
    ("standard", 4): ["top", "right", "bottom", "left"],
    ("standard", 5): ["top", "right", "bottom", "left", "centre"],
    ("standard", 6): ["top", "upper right", "lower right", "bottom", "lower left", "upper left"],
    ("bowl", 2): ["upper left and lower right", "upper right and lower left"],
    ("bowl", 3): ["upper left and lower right", "upper right and lower left", "left and right"],
    ("bowl", 4): ["upper left", "upper right", "lower left", "lower right"],
    ("bowl", 5): ["right", "lower right", "upper right", "upper left", "lower left"],
    ("bowl", 6): ["upper left", "upper right", "right", "lower right", "lower left", "left"],
}


@pytest.mark.parametrize(("board", "players"), HOMES)
def test_homes(board: str, players: int) -> None:
    seats = range(1, players + 1)
    assert [rules.home(board, players, seat) for seat in seats] == HOMES[board, players]


def test_every_start_is_above() -> None:
    assert set(HOMES) == {(name, n) for name, numbers in rules.BOARDS.items() for n in numbers}


def test_nobody_lives_on_a_board_that_there_is_not() -> None:
    with pytest.raises(rules.SetupError):
        rules.home("soup", 2, 1)


@pytest.mark.parametrize("seat", [0, 3])
def test_nobody_sits_there(seat: int) -> None:
    with pytest.raises(ValueError, match="the seats are 1 to 2"):
        rules.home("bowl", 2, seat)
