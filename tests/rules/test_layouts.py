"""The boards to start from."""

import re
from pathlib import Path

import pytest

from pbm import rules

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "rules.md"

SIZES = {
    ("standard", 2): [14, 14],
    ("standard", 3): [11] * 3,
    ("standard", 4): [8] * 4,
    ("standard", 5): [8, 8, 8, 8, 7],
    ("standard", 6): [6] * 6,
    ("bowl", 2): [14, 14],
    ("bowl", 3): [10] * 3,
    ("bowl", 4): [7] * 4,
    ("bowl", 5): [7] * 5,
    ("bowl", 6): [6] * 6,
}

STATES = {
    ("standard", 2): "11111/111111/..111../......../........./......../..222../222222/22222",
    ("standard", 3): "11111/111111/......./3......2/33.....22/33....22/33...22/33..22/33.22",
    ("standard", 4): "1111./1111.2/.....22/4.....22/44.....22/44.....2/44...../4.3333/.3333",
    ("standard", 5): "1111./1111.2/.....22/4..55.22/44.555.22/44.55..2/44...../4.3333/.3333",
    ("standard", 6): ".111./6.11.2/66.1.22/666..222/........./555..333/55.4.33/5.44.3/.444.",
    ("bowl", 2): "11.22/111222/.11.22./......../........./......../.22.11./222111/22.11",
    ("bowl", 3): "11.22/11..22/..1.2../3......3/333...333/3......3/..2.1../22..11/22.11",
    ("bowl", 4): "11.22/111222/.11.22./......../........./......../.33.44./333444/33.44",
    ("bowl", 5): "44.33/444333/.44.33./......11/......111/......11/.55.22./555222/55.22",
    ("bowl", 6): "11.22/111222/.1...2./66....33/66.....33/66....33/.5...4./555444/55.44",
}


@pytest.mark.parametrize(("board", "players"), STATES)
def test_starts(board: str, players: int) -> None:
    position = rules.start(board, players)
    zeros = ",".join("0" * players)
    assert rules.format_state(position) == f"{STATES[board, players]} 1 {zeros} -"
    assert [position.count(seat) for seat in position.seats] == SIZES[board, players]
    assert rules.legal_moves(position)


def test_boards_and_their_numbers_of_players() -> None:
    assert dict(rules.BOARDS) == {"standard": (2, 3, 4, 5, 6), "bowl": (2, 3, 4, 5, 6)}


def test_the_default_is_standard_for_two() -> None:
    assert rules.start() == rules.start("standard", 2)


@pytest.mark.parametrize(
    ("board", "players", "reason", "sentence"),
    [
        ("soup", 2, "unknown-board", "There is no such board. The boards are standard and bowl."),
        ("", 2, "unknown-board", "There is no such board. The boards are standard and bowl."),
        ("bowl", 1, "wrong-players", "The bowl board is for 2 to 6 players."),
        ("standard", 7, "wrong-players", "The standard board is for 2 to 6 players."),
    ],
)
def test_refused_set_ups(board: str, players: int, reason: str, sentence: str) -> None:
    with pytest.raises(rules.SetupError) as error:
        rules.start(board, players)
    assert (error.value.reason, str(error.value)) == (reason, sentence)


def test_a_number_too_long_to_print_is_refused_alike() -> None:
    with pytest.raises(rules.SetupError):
        rules.start("bowl", 10**5000)


def test_the_manual_shows_every_board_as_it_is() -> None:
    lines = MANUAL.read_text("utf-8").split("\n")
    rows = [re.findall(r"[1-6.](?: [1-6.]){4,8}", line) for line in lines]
    tops = [index for index, found in enumerate(rows) if found and not rows[index - 1]]
    shown = {
        "/".join(row[column].replace(" ", "") for row in rows[top : top + 9])
        for top in tops
        for column in range(len(rows[top]))
        if all(len(row) == len(rows[top]) for row in rows[top : top + 9])
    }
    assert shown == set(STATES.values()) - {STATES["standard", 2]}
    assert rules.diagram(rules.start()) in MANUAL.read_text("utf-8")
