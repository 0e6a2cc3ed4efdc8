"""What a text that is no move may mean: legal moves that can be written with just its places."""

from pbm.rules import abalone as rules
from pbm.rules.abalone.notation import (
    is_nearly_notation,
    moves_meant,
    moves_naming,
    nearest_moves,
    places_of,
)
from tests.rows import each_row
from tests.rules.random_positions import some_positions
from tests.rules.setups import placed


@each_row(
    ("text", "is_nearly"),
    [
        ("c3 c4", True),
        ("C3 → C4", True),
        ("c 3 → c 4", True),
        ("c3c4?", True),
        ("Ａ１－Ｃ３　Ｄ４", True),
        ("a1\\c3/d4...", True),
        ("e4", True),
        ("e 4", False),
        ("a9", False),
        ("c3 c10", False),
        ("} c3 c4", False),
        ("c3 or c4", False),
        ("a1 a2 a3 a4 a5 b1 b2", False),
        ("", False),
        ("→", False),
        ("c3 " * 40, False),
    ],
)
def test_what_names_places_and_nothing_else(text: str, is_nearly: bool) -> None:
    assert is_nearly_notation(text) is is_nearly


@each_row(
    ("own", "theirs", "text", "meant"),
    [
        ("c3", "i9", "c3 c4", ["c3,c4"]),
        ("c3 c4", "i9", "c3 → c4", ["c3-c4,c4"]),
        ("c3 c4", "i9", "c4 → c5", ["c4,c5"]),
        ("c3 c4", "c5", "c4 → c5", ["c3-c4,c4"]),
        ("c2 c3 c4", "c5", "c4 → c5", ["c3-c4,c4", "c2-c4,c3"]),
        ("c3 c4", "i9", "c5 → c4", []),
        ("c3 c4", "i9", "c3 c5", []),
        ("a1 b2 c3", "i9", "a1 b2 c3 b2 c3 d4", ["a1-c3,b2"]),
        ("a1 b2 c3", "i9", "c3-a1 d4-b2", ["a1-c3,b2"]),
        ("c3 c4", "i9", "c3-c4 → d4", ["c3-c4,d4", "c3-c4,d3"]),
        ("c3 c4", "i9", "c3-c4 d4", ["c3-c4,d4"]),
        ("c3 c4", "i9", "c3-c4,d4?", ["c3-c4,d4"]),
        ("c3 c4", "i9", "c3,c4?", []),
        ("c3 c4", "i9", "i9 h9", []),
        ("c3 c4", "i9", "e4", []),
    ],
)
def test_what_may_be_meant(own: str, theirs: str, text: str, meant: list[str]) -> None:
    position = placed(own, theirs)
    assert sorted(map(str, moves_meant(position, text))) == sorted(meant)


def test_every_move_is_found_by_its_own_places() -> None:
    for position in some_positions(20):
        for move in position.legal_moves():
            text = str(move).replace("-", " ").replace(",", " ")
            found = moves_meant(position, text)
            assert str(move) in found, text
            assert set(found) <= set(map(str, position.legal_moves()))
            near = nearest_moves(position, places_of(text))
            assert 1 <= len(near) <= 2
            assert set(near) <= set(position.legal_moves())


def test_nothing_is_meant_after_the_end() -> None:
    over = rules.start().leave(1)
    assert moves_naming(over, ("c3", "d4")) == []
    assert nearest_moves(over, ("c3", "d4")) == []
