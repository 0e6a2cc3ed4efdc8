"""The state line: written in one way, and read only if it agrees with the rules."""

import pytest

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.random_positions import some_positions
from tests.rules.sentences import told

START = "11111/111111/..111../......../........./......../..222../222222/22222 1 0,0 -"
ROWS = START.split()[0]
TEAM_ROWS = "1111./.111.2/..11.22/.....222/444...222/444...../44.33../4.333./.3333"
PILLAR_ROWS = ROWS.replace("/........./", "/....#..../")

LINES = [
    START,
    f"{ROWS} 2 0,0 -",
    f"{ROWS} 2 5,5 quiet=17",
    f"{ROWS} - 6,3 won=1",
    f"{ROWS} - 2,6 quiet=1;won=2",
    f"{ROWS} - 0,0 out=1;won=2",
    "1..../....../......./......../........./......../......./....../....2 1 0,0 -",
    "1..../....../......./......../........./......../......./....../..... - 0,0 won=1",
    "11.22/11..22/..1.2../3......3/333...333/3......3/..2.1../22..11/22.11 2 0,0,0 out=1;quiet=3",
    "11.22/11..22/..1.2../3......3/333...333/3......3/..2.1../22..11/22.11 - 0,0,0 out=1+3;won=2",
    f"{TEAM_ROWS} 1 0,0,0,0 teams",
    f"{TEAM_ROWS} 2 3,0,3,0 teams;quiet=2",
    f"{TEAM_ROWS} 3 0,0,0,0 teams;out=3",
    f"{TEAM_ROWS} - 1,2,1,2 teams;out=1+3;quiet=4;won=2+4",
    f"{TEAM_ROWS} - 6,0,6,0 teams;out=3;won=1+3",
    f"{PILLAR_ROWS} 1 0,0 -",
    f"{PILLAR_ROWS} - 0,0 out=2;won=1",
    "13.../33..../......./......../........./......../......./....44/...42 - 0,0,0,0 out=3+4;draw",
]

BAD = {
    "no parts": "",
    "words": "hello there my friend",
    "no flags": f"{ROWS} 1 0,0",
    "a part too many": START + " -",
    "two blanks": START.replace(" 1", "  1"),
    "a tab": START.replace(" ", "\t"),
    "a blank before": " " + START,
    "a newline after": START + "\n",
    "a row too few": START.replace("/22222", ""),
    "a row too many": START.replace(" 1", "/. 1"),
    "a row too short": START.replace("22222 ", "2222 "),
    "a row too long": START.replace("22222 ", "222222 "),
    "a letter": START.replace("..111..", "..1o1.."),
    "seat 0": START.replace("..111..", "..101.."),
    "seat 3 of 2": START.replace("..111..", "..131.."),
    "a digit that is not ASCII": START.replace("..111..", "..1١1.."),
    "a full-width digit": START.replace("..111..", "..1１1.."),
    "fifteen marbles": START.replace("......../.........", "1......./........."),
    "turn of seat 0": f"{ROWS} 0 0,0 -",
    "turn of seat 3": f"{ROWS} 3 0,0 -",
    "turn of seat 7": f"{ROWS} 7 0,0 -",
    "nobody's turn": f"{ROWS} - 0,0 -",
    "turn of one who is out": ROWS.replace("....../..222", "..3.../..222") + " 1 0,0,0 out=1",
    "turn of one without marbles": ROWS.replace("2", "3") + " 2 0,0,0 -",
    "one score": f"{ROWS} 1 0 -",
    "seven scores": f"{ROWS} 1 0,0,0,0,0,0,0 -",
    "a score of seven": f"{ROWS} 1 7,0 -",
    "a long score": f"{ROWS} 1 0,{'1' * 50} -",
    "a negative score": f"{ROWS} 1 0,-1 -",
    "a score with a zero before": f"{ROWS} 1 0,01 -",
    "an empty score": f"{ROWS} 1 0, -",
    "six ejections and a turn": f"{ROWS} 1 6,0 -",
    "six ejections and no winner": f"{ROWS} - 6,0 -",
    "six ejections twice": f"{ROWS} - 6,6 won=1",
    "six ejections and out": f"{ROWS} - 6,0 out=1;won=1",
    "won without a reason": f"{ROWS} - 5,0 won=1",
    "won by the other": f"{ROWS} - 6,0 won=2",
    "won by both": f"{ROWS} - 6,0 won=1+2",
    "won with a turn": f"{ROWS} 2 6,0 won=1",
    "a draw without a reason": f"{ROWS} - 0,0 draw",
    "a draw with a turn": f"{ROWS} 1 0,0 draw",
    "everybody out": f"{ROWS} - 0,0 out=1+2",
    "everybody out in a draw": f"{ROWS} - 0,0 out=1+2;draw",
    "all but one out": f"{ROWS} 1 0,0 out=2",
    "out that is no seat": f"{ROWS} 1 0,0 out=3",
    "out twice": f"{ROWS} - 0,0 out=1+1;won=2",
    "out not in order": START.replace("0,0", "0,0,0,0").replace(" -", " out=4+3"),
    "quiet of zero": f"{ROWS} 1 0,0 quiet=0",
    "quiet with a zero before": f"{ROWS} 1 0,0 quiet=07",
    "quiet below zero": f"{ROWS} 1 0,0 quiet=-1",
    "quiet without end": f"{ROWS} 1 0,0 quiet={'9' * 5000}",
    "quiet in other digits": f"{ROWS} 1 0,0 quiet=٣",
    "quiet twice": f"{ROWS} 1 0,0 quiet=1;quiet=1",
    "flags not in order": f"{ROWS} - 6,0 won=1;quiet=3",
    "no flag and a flag": f"{ROWS} 1 0,0 -;quiet=3",
    "an empty flag": f"{ROWS} 1 0,0 quiet=3;",
    "an unknown flag": f"{ROWS} 1 0,0 loud",
    "teams of two": f"{ROWS} 1 0,0 teams",
    "teams of three": f"{ROWS} 1 0,0,0 teams",
    "teams of six": f"{TEAM_ROWS} 1 0,0,0,0,0,0 teams",
    "a score at one of a team": f"{TEAM_ROWS} 1 1,0,0,0 teams",
    "a team's victory of one": f"{TEAM_ROWS} - 6,0,6,0 teams;won=1",
    "a victory of two without teams": f"{TEAM_ROWS} - 6,0,6,0 won=1+3",
    "six ejections of both teams": f"{TEAM_ROWS} - 6,6,6,6 teams;won=1+3",
    "a team that won and is out": f"{TEAM_ROWS} - 6,0,6,0 teams;out=1+3;won=1+3",
    "a team that is out": f"{TEAM_ROWS} 1 0,0,0,0 teams;out=2+4",
    "teams after out": f"{TEAM_ROWS} 1 0,0,0,0 out=2;teams",
    "teams twice": f"{TEAM_ROWS} 1 0,0,0,0 teams;teams",
    "two fixed marbles": PILLAR_ROWS.replace("#.", "##") + " 1 0,0 -",
    "a fixed marble elsewhere": PILLAR_ROWS.replace("#.", ".#") + " 1 0,0 -",
    "a very long line": START + "x" * 10**6,
    "very many slashes": "/" * 10**6 + " 1 0,0 -",
}


@each_row("line", LINES)
def test_lines_are_read_and_written_alike(line: str) -> None:
    assert rules.parse_state(line).state() == line


def test_the_start() -> None:
    assert rules.start().state() == START
    assert rules.parse_state(START) == rules.start()


@each_row("line", BAD.values(), ids=BAD.keys())
def test_bad_lines(line: str) -> None:
    with pytest.raises(rules.StateError) as error:
        rules.parse_state(line)
    assert error.value.reason == "bad-state"


@each_row(
    ("line", "sentence"),
    [
        (
            f"{ROWS} 1 0,0",
            "A state line has four parts with one blank between them: rows, turn, scores, flags.",
        ),
        (
            f"{ROWS[:-1]} 1 0,0 -",
            "The rows a to i are"
            " ...../....../......./......../........./......../......./....../..... when empty.",
        ),
        (f"{ROWS} 3 0,0 -", "It cannot be the turn of seat 3: there is none."),
        (
            f"{ROWS.replace('2', '5')} 1 0,0 -",
            "A cell is . or the digit of a seat, 1 to 2 by the scores; e5 may be #.",
        ),
        (
            f"{ROWS.replace('.', '1')} 1 0,0 -",
            "Seat 1 has more than 14 marbles, which none can.",
        ),
        (f"{ROWS} 1 0,0 out=5", "out= names a seat that there is not, or leaves nobody in."),
        (f"{ROWS} 1 0,0 teams", "A game in teams has four seats, and four scores."),
        (
            f"{TEAM_ROWS} 1 1,0,0,0 teams",
            "The score of a team stands at both of its seats.",
        ),
        (
            f"{TEAM_ROWS} 1 6,6,6,6 teams",
            "Only one team, and one still in, can have 6 ejections.",
        ),
        (f"{ROWS} 1 6,6 -", "Only one seat, and one still in, can have 6 ejections."),
        (
            f"{ROWS} 1 0,0 loud",
            "The flags are - or, in this order, teams;out=3+5;quiet=17;won=1 or draw.",
        ),
        (
            f"{ROWS} 1 6,0 quiet=3",
            f"The line does not agree with the rules. They make it: {ROWS} - 6,0 quiet=3;won=1",
        ),
    ],
)
def test_what_is_wrong_is_said(line: str, sentence: str) -> None:
    with pytest.raises(rules.StateError) as error:
        rules.parse_state(line)
    assert told(error.value) == sentence


def test_positions_of_play_are_restored() -> None:
    for position in some_positions(30):
        assert rules.parse_state(position.state()) == position
        for move in position.legal_moves()[::9]:
            after = position.play(move).position
            assert rules.parse_state(after.state()) == after
        without = position.leave(1)
        assert rules.parse_state(without.state()) == without
