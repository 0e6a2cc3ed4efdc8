"""Any text at all given to the parsers: a move, a position, or the one error for it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.rules import abalone as rules
from tests.rules.promises import check_abapro_text, check_move_text, check_state_text
from tests.rules.random_positions import SETUPS, some_positions
from tests.rules.setups import CELLS

ON_THE_WAY = list(some_positions(len(SETUPS)))
POSITIONS = [*ON_THE_WAY, *(position.leave(1) for position in ON_THE_WAY[::5])]
LINES = [position.state() for position in POSITIONS]

positions = st.sampled_from(POSITIONS)


def _is_junk(text: str) -> bool:
    """Whether nothing in a text is like the name of a cell, nor all of it like a state line."""
    return not re.search(r"[a-zａ-ｚ]\W*\d", text, re.IGNORECASE) and text.count("/") != 8


# Everything that a str can hold, half of a surrogate pair included.
junk = st.text(st.characters()).filter(_is_junk)
junk_bytes = (
    st.binary()
    .flatmap(
        lambda data: st.sampled_from(
            [data.decode("latin-1"), data.decode("utf-8", "surrogateescape")]
        )
    )
    .filter(_is_junk)
)

names = st.sampled_from(CELLS) | st.from_regex("[a-zA-Zａ-ｉ][0-9０-９]{0,3}", fullmatch=True)
glue = st.sampled_from(["-", ",", "", " ", "–", "->", ";", ":", "，", "--", "\n", "\x00", "\ud800"])
near_moves = st.lists(st.tuples(names, glue), max_size=5).map(
    lambda parts: "".join(cell + mark for cell, mark in parts)
)
three_cells = st.tuples(*[st.sampled_from(CELLS)] * 3)

LONG = [
    "a1-c3,d4" * 10**5,
    " " * 10**6,
    "-" * 10**6,
    "a1," * 10**6,
    "a1" * 10**6,
    "a" * 10**6,
    "1" * 10**6,
    "a1 " * 10**6,
    "\ud800" * 10**6,
    "ａ１" * 10**6,
    "/" * 10**6 + " 1 0,0 -",
    "." * 10**6,
    "0," * 10**6,
    ";" * 10**6,
]


@given(junk | junk_bytes, positions)
def test_junk_is_a_notation_error(text: str, position: rules.AbalonePosition) -> None:
    assert check_move_text(text, position) == "not-a-move"
    assert check_abapro_text(text, position) == "not-a-move"
    assert check_state_text(text) is None


@given(near_moves, positions)
def test_what_is_nearly_a_move(text: str, position: rules.AbalonePosition) -> None:
    check_move_text(text, position)
    check_abapro_text(text, position)


@given(three_cells, st.booleans(), positions)
def test_what_reads_as_a_move(
    cells: tuple[str, str, str], alone: bool, position: rules.AbalonePosition
) -> None:
    first, last, target = cells
    reason = check_move_text(f"{first},{target}" if alone else f"{first}-{last},{target}", position)
    assert reason not in ("not-a-move", "no-such-cell")
    check_abapro_text(first + target if alone else first + last + target, position)


@given(
    st.sampled_from(LINES),
    st.lists(
        st.tuples(st.integers(0, 99), st.sampled_from("0123456./,;=+- #x٣１\ud800\n")),
        min_size=1,
        max_size=3,
    ),
    st.booleans(),
)
def test_what_is_nearly_a_state_line(
    line: str, changes: list[tuple[int, str]], replacing: bool
) -> None:
    for place, sign in changes:
        line = line[:place] + sign + line[place + replacing :]
    check_state_text(line)


@pytest.mark.parametrize("text", LONG, ids=lambda text: repr(text[:8]))
def test_a_very_long_text_is_refused_in_short(text: str) -> None:
    """Work that grew with the square of the length would not end."""
    position = POSITIONS[0]
    assert check_move_text(text, position) == "not-a-move"
    assert check_abapro_text(text, position) == "not-a-move"
    assert check_state_text(text) is None


def test_the_state_lines_of_play_are_read() -> None:
    for line in LINES:
        assert check_state_text(line) is not None
