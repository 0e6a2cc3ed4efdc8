"""Moves as text: read generously, and written in one way."""

import pytest

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.random_positions import some_positions
from tests.rules.setups import placed

START = rules.start("standard", 2)

SPELLINGS = [
    "a1-c3,b2",
    "a1-c3,d4",
    "A1-C3, d4",
    " a 1 - c\t3 ,\nd 4 ",
    "a1–c3,d4",
    "a1—c3,d4",
    "a1−c3,d4",
    "a1‐c3,d4",
    "a1-c3,d4",
    "a1‒c3,d4",
    "a1―c3,d4",
    "a1﹣c3,d4",
    "a1-c3,d4",
    "a1-c3;d4",
    "a1-c3>d4",
    "a1-c3->d4",
    "a1-c3 - > d4",
    "a1–c3–>d4",
    "a1-c3:d4",
    "a1-c3，d4",
    "a1-c3；d4",
    "a1-c3：d4",
    "a1-c3＞d4",
    "ａ１－ｃ３，ｄ４",
    "Ａ１-Ｃ３,Ｄ４",
    "a1 -\N{NO-BREAK SPACE}c3,d4",
]

NO_MOVES = [
    "",
    " ",
    ",",
    "a1",
    "a1-c3",
    "a1,",
    ",a1",
    "a1-,b2",
    "a1-c3,",
    "a1-b2-c3,d4",
    "a1-c3,d4,e5",
    "a1,c3-d4",
    "-a1-c3,d4",
    "a1--c3,d4",
    "a1-c3,,d4",
    "a1-c3,d4.",
    "a1c3d4",
    "a1b2",
    "1a-3c,4d",
    "aa,b2",
    "a1/c3,d4",
    "a¹-c³,d⁴",
    "a١-c٣,d٤",
    "а1-с3,d4",  # Cyrillic а and с
    "🅰1-c3,d4",
    "\x00",
    "a1-c3,d4\x00",
    "hi, how does this work?",
    "abalone move 12 a1-c3,d4",
]


@each_row("text", SPELLINGS)
def test_spellings_of_one_move(text: str) -> None:
    assert rules.is_notation(text)
    assert str(rules.parse_move(text, START)) == "a1-c3,b2"


@each_row("text", NO_MOVES)
def test_what_does_not_read_as_a_move(text: str) -> None:
    assert not rules.is_notation(text)
    with pytest.raises(rules.NotationError) as error:
        rules.parse_move(text, START)
    assert error.value.reason == "not-a-move"


@each_row("text", ["a6,a5", "j1,k2", "z99-a0,b2", "c5,c5", "a1-i9,b2", "e5,e9"])
def test_what_reads_as_a_move_but_is_none(text: str) -> None:
    assert rules.is_notation(text)
    with pytest.raises(rules.NotationError):
        rules.parse_move(text, START)


@each_row(
    ("own", "text", "canonical"),
    [
        ("e5", "e5,f5", "e5,f5"),
        ("e5", "e5-e5,f5", "e5,f5"),
        ("e5 e6", "e5-e6,e6", "e5-e6,e6"),
        ("e5 e6", "e5-e6,e7", "e5-e6,e6"),
        ("e5 e6", "e6-e5,e6", "e5-e6,e6"),
        ("e5 e6", "e6-e5,e7", "e5-e6,e6"),
        ("e5 e6", "e5-e6,e4", "e6-e5,e5"),
        ("e5 e6", "e5-e6,e5", "e6-e5,e5"),
        ("e5 e6", "e5-e6,f6", "e5-e6,f6"),  # next to both ends: seen from the first
        ("e5 e6", "e6-e5,f6", "e5-e6,f5"),
        ("e5 e6", "e5-e6,f7", "e5-e6,f6"),
        ("e4 e5 e6", "e4-e6,e7", "e4-e6,e5"),
        ("e4 e5 e6", "e6-e4,e7", "e4-e6,e5"),
        ("e4 e5 e6", "e4-e6,e5", "e4-e6,e5"),  # next to both ends: seen from the first
        ("e4 e5 e6", "e6-e4,e5", "e6-e4,e5"),
        ("e4 e5 e6", "e4-e6,e3", "e6-e4,e5"),
        ("e4 e5 e6", "e4-e6,d4", "e4-e6,d4"),
        ("e4 e5 e6", "e4-e6,d5", "e4-e6,d3"),
        ("e4 e5 e6", "e6-e4,f6", "e4-e6,f4"),
        ("e4 e5 e6", "e6-e4,f5", "e4-e6,f5"),
    ],
)
def test_reading(own: str, text: str, canonical: str) -> None:
    position = placed(own, "i9")
    move = rules.parse_move(text, position)
    assert str(move) == canonical
    assert rules.parse_move(canonical, position) == move


def test_canonical_texts_are_read_back() -> None:
    for position in some_positions(20):
        for move in position.legal_moves():
            text = str(move)
            assert rules.is_notation(text)
            assert rules.parse_move(text, position) == move


def test_no_two_legal_moves_share_a_canonical_text() -> None:
    for position in some_positions(20):
        moves = position.legal_moves()
        assert len({str(move) for move in moves}) == len(moves)


@each_row("text", ["a1-c3,d4" * 10**5, " " * 10**6, "-" * 10**6, "a1," * 10**6])
def test_a_very_long_text_is_no_move(text: str) -> None:
    assert not rules.is_notation(text)
    with pytest.raises(rules.NotationError):
        rules.parse_move(text, START)


@each_row(
    "text",
    ["e4", "E4", "is e4 free?", "a1-c3,d4", "(a1)", "b2b3", "a1b2c3", "ｅ４", "e4.", "a9 i9"],
)
def test_what_mentions_a_cell(text: str) -> None:
    assert rules.mentions_cell(text)


@each_row(
    "text",
    ["", "a6", "i4", "e", "e10", "ae4", "e4x", "4e", "Nice one!", "e 4", "e٤", "j1", "x_e4"],
)
def test_what_mentions_none(text: str) -> None:
    assert not rules.mentions_cell(text)


def test_a_very_long_text_may_mention_a_cell_at_its_end() -> None:
    assert rules.mentions_cell("word " * 10**5 + "e4")
