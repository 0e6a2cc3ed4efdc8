"""Where each seat's marbles start, in words."""

import pytest

from pbm.rules import abalone as rules
from tests.rows import each_row

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
    ("official", 2): ["top", "bottom"],
    ("official", 3): ["top", "lower right", "lower left"],
    ("official", 4): ["top", "right", "bottom", "left"],
    ("classic", 2): ["bottom", "top"],
    ("german", 2): ["upper right and lower left", "upper left and lower right"],
    ("alliances", 2): ["right", "left"],
    ("the_wall", 2): ["bottom", "top"],
    ("star", 2): ["all over the board", "all over the board"],
}


@each_row(("board", "players"), HOMES)
def test_homes(board: str, players: int) -> None:
    seats = range(1, players + 1)
    assert [rules.home(board, players, seat) for seat in seats] == HOMES[board, players]


def test_partners_start_opposite_each_other() -> None:
    assert [rules.home("bowl", 4, seat, teams=True) for seat in range(1, 5)] == [
        "upper left",
        "upper right",
        "lower right",
        "lower left",
    ]


def test_every_start_has_homes_in_a_few_words() -> None:
    for board, numbers in rules.BOARDS.items():
        for players in numbers:
            homes = [rules.home(board, players, seat + 1) for seat in range(players)]
            assert all(0 < len(words) < 50 for words in homes)


def test_nobody_lives_on_a_board_that_there_is_not() -> None:
    with pytest.raises(rules.SetupError):
        rules.home("soup", 2, 1)


@pytest.mark.parametrize("seat", [0, 3])
def test_nobody_sits_there(seat: int) -> None:
    with pytest.raises(ValueError, match="the seats are 1 to 2"):
        rules.home("bowl", 2, seat)
