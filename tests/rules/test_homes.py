"""Where each seat's marbles start, in words."""

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


def homes(board: str, players: int, *, teams: bool = False) -> list[str]:
    return list(map(rules.home_of, rules.start(board, players, teams=teams).marbles))


@each_row(("board", "players"), HOMES)
def test_homes(board: str, players: int) -> None:
    assert homes(board, players) == HOMES[board, players]


def test_partners_start_opposite_each_other() -> None:
    found = homes("bowl", 4, teams=True)
    assert found == ["upper left", "upper right", "lower right", "lower left"]


def test_every_start_has_homes_in_a_few_words() -> None:
    for board, numbers in rules.BOARDS.items():
        for players in numbers:
            assert all(0 < len(words) < 50 for words in homes(board, players))
