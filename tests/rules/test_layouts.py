"""The boards to start from."""

import re
from pathlib import Path

import pytest

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.sentences import told

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
    ("official", 2): [14, 14],
    ("official", 3): [11] * 3,
    ("official", 4): [9] * 4,
    ("atomouche", 2): [12, 12],
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
    ("official", 4): "1111./.111.2/..11.22/.....222/444...222/444...../44.33../4.333./.3333",
    ("classic", 2): "22222/222222/..222../......../........./......../..111../111111/11111",
    ("belgian", 2): "22.11/222111/.22.11./......../........./......../.11.22./111222/11.22",
    ("snakes", 2): "11111/1...../1....../1..1122./.1.1.2.2./.1122..2/......2/.....2/22222",
    ("alien", 2): "1.1.1/.1221./.12121./...11.../........./...22.../.21212./.2112./2.2.2",
    ("checkerboard", 2): "...../121212/......./21212121/........./12121212/......./212121/.....",
    ("duel", 2): ".2.1./222111/..2.1../1......2/11.....22/1......2/..2.1../222111/.2.1.",
    ("dutch", 2): "22.11/212121/.22.11./......../........./......../.11.22./121212/11.22",
    ("german", 2): "...../22..11/222.111/.22..11./........./.11..22./111.222/11..22/.....",
    ("swiss", 2): "...../22..11/212.121/.22..11./........./.11..22./121.212/11..22/.....",
    ("star", 2): "1...2/.2..1./2.1.2.1/...21.../2121.2121/...21.../2.1.2.1/.2..1./1...2",
    ("the_wall", 2): "..2../....../.22222./22222222/........./11111111/.11111./....../..1..",
    ("the_clearing", 2): "12121/2....2/.1..2.1/12.....2/2.......1/1.....12/2.1..2./1....1/21212",
    ("papillons", 2): ".1.22/1.21.2/.2...11/21.....2/2.......1/1.....21/22...1./1.21.2/11.2.",
    ("fujiyama", 2): "22222/.2112./..212../...22.../........./...11.../..121../.1221./11111",
    ("face_to_face", 2): "...../....../22...11/222..111/2222.1111/222..111/22...11/....../.....",
    ("alliances", 2): "...../.2211./.2.211./.2.12.1./.2.1.2.1./.2.12.1./.221.1./.2211./.....",
    ("domination", 2): "...../2....1/22...11/2222.111/...1.1.../111.2222/11...22/1....2/.....",
    ("atomouche", 2): "12.../2..121/..1..../1.2....2/2..1.2..1/1....1.2/....2../212..1/...12",
    ("centrifugeuse", 2): ".222./1....1/11.2.11/11....11/........./22....22/22.1.22/2....2/.111.",
    ("snakes_variant", 2): "11111/1...../1....../1.22222./.1.....2./.11111.2/......2/.....2/22222",
    ("korean_daisy", 2): "22.11/222111/.21.21./......../........./......../.12.12./111222/11.22",
    ("infiltration", 2): ".121./.1111./.12121./.1....1./........./.2....2./.21212./.2222./.212.",
    ("pyramid", 2): "2..../22..../222..../2222..../2222.1111/....1111/....111/....11/....1",
}
STATES["official", 2] = STATES["standard", 2]
STATES["official", 3] = STATES["standard", 3]


@each_row(("board", "players"), STATES)
def test_starts(board: str, players: int) -> None:
    position = rules.start(board, players)
    zeros = ",".join("0" * players)
    assert position.state() == f"{STATES[board, players]} 1 {zeros} -"
    assert [position.count(seat) for seat in position.seats] == SIZES.get(
        (board, players), [14, 14]
    )
    assert position.legal_moves()


def test_boards_and_their_numbers_of_players() -> None:
    several = {
        "standard": (2, 3, 4, 5, 6),
        "bowl": (2, 3, 4, 5, 6),
        "official": (2, 3, 4),
    }
    for_two = {name: (2,) for name, _ in STATES if name not in several}
    assert dict(rules.BOARDS) == several | for_two
    assert len(for_two) == 23
    assert list(rules.BOARDS)[:3] == list(several)


@pytest.mark.parametrize(("named", "board"), [("classic", "standard"), ("belgian", "bowl")])
def test_two_named_boards_are_the_usual_ones_with_the_seats_exchanged(
    named: str, board: str
) -> None:
    assert rules.start(named).marbles == rules.start(board).marbles[::-1]


def test_the_default_is_standard_for_two() -> None:
    assert rules.start() == rules.start("standard", 2)


NO_BOARD = f"There is no such board. The boards are {', '.join([*rules.BOARDS][:-1])} and pyramid."


@each_row(
    ("board", "players", "reason", "sentence"),
    [
        ("soup", 2, "unknown-board", NO_BOARD),
        ("", 2, "unknown-board", NO_BOARD),
        ("Bowl", 2, "unknown-board", NO_BOARD),
        ("bowl", 1, "wrong-players", "The bowl board is for 2 to 6 players."),
        ("standard", 7, "wrong-players", "The standard board is for 2 to 6 players."),
        ("official", 5, "wrong-players", "The official board is for 2 to 4 players."),
        ("german", 3, "wrong-players", "The german board is for 2 players."),
    ],
)
def test_refused_set_ups(board: str, players: int, reason: str, sentence: str) -> None:
    with pytest.raises(rules.SetupError) as error:
        rules.start(board, players)
    assert (error.value.reason, told(error.value)) == (reason, sentence)


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
    assert rules.start().drawn() in MANUAL.read_text("utf-8")


@each_row(
    ("board", "rows"),
    [
        (None, STATES["official", 4]),
        ("official", STATES["official", 4]),
        ("standard", STATES["standard", 4]),
        ("bowl", "11.22/111222/.11.22./......../........./......../.44.33./444333/44.33"),
    ],
)
def test_starts_in_teams(board: str | None, rows: str) -> None:
    position = rules.start(board, teams=True)
    assert position.state() == f"{rows} 1 0,0,0,0 teams"
    assert rules.start(board, 4, teams=True) == position
    rows_mirrored = rows[::-1].translate(str.maketrans("1234", "3412"))
    assert rows_mirrored == rows, "partners do not face each other"


def test_the_pillar_stands_wherever_the_centre_is_empty() -> None:
    for board, numbers in rules.BOARDS.items():
        for players in numbers:
            plain = rules.start(board, players).state()
            if plain.split("/")[4][4] == ".":
                rows = plain.split("/")
                rows[4] = rows[4][:4] + "#" + rows[4][5:]
                with_pillar = rules.start(board, players, pillar=True).state()
                assert with_pillar == "/".join(rows)
            else:
                with pytest.raises(rules.SetupError) as error:
                    rules.start(board, players, pillar=True)
                assert error.value.reason == "centre-taken"


@each_row(
    ("board", "players", "more", "reason", "sentence"),
    [
        ("standard", 3, {"teams": True}, "wrong-players", "A game in teams is for 4 players."),
        (None, 2, {"teams": True}, "wrong-players", "A game in teams is for 4 players."),
        ("german", None, {"teams": True}, "wrong-players", "The german board is for 2 players."),
        (
            "standard",
            5,
            {"pillar": True},
            "centre-taken",
            "The standard board for 5 has a marble on e5, where the pillar would stand.",
        ),
    ],
)
def test_refused_kinds(
    board: str | None, players: int | None, more: dict[str, bool], reason: str, sentence: str
) -> None:
    with pytest.raises(rules.SetupError) as error:
        rules.start(board, players, **more)
    assert (error.value.reason, told(error.value)) == (reason, sentence)
