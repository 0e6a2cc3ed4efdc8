"""What may stand around a move and does not matter, and the signs for its words."""

from pbm.commands.language.around_moves import undressed, with_signs
from pbm.commands.registry import nearly_move, whole_move
from pbm.rules.registry import default_game
from tests.rows import each_row

MOVE = "a1-c3,d4"


@each_row(
    "line",
    [
        '"a1-c3,d4"',
        "“a1-c3,d4”",
        "„a1-c3,d4“",
        "«a1-c3,d4»",
        "'a1-c3,d4'",
        "*a1-c3,d4*",
        "**a1-c3,d4**",
        "_a1-c3,d4_",
        "`a1-c3,d4`",
        "a1-c3,d4.",
        "a1-c3,d4!!!",
        "a1-c3,d4 :-)",
        "a1-c3,d4 ;)",
        "a1-c3,d4:)",
        "a1-c3,d4 🙂",
        "a1-c3,d4 👍🏽",
        "a1-c3,d4 ☺️ !",
        "😀 a1-c3,d4",
        "1. a1-c3,d4",
        "1) a1-c3,d4",
        "12.a1-c3,d4",
        "12 (#23). a1-c3,d4",
        "“1. a1-c3,d4”",
        "Move a1-c3,d4 please",
        "move a1-c3,d4.",
        'move "a1-c3,d4"',
        '"move a1-c3,d4"',
        "Please move a1-c3,d4!",
        "my move: a1-c3,d4",
        "My move is *a1-c3,d4*.",
        "my move = a1-c3,d4",
        "I play a1-c3,d4",
        "I'll play a1-c3,d4, thanks",
        "I’ll play a1-c3,d4",
        "OK, a1-c3,d4!",
        "a1-c3,d4 is my move.",
        "Ich spiele a1-c3,d4, bitte!",
        "Je joue a1-c3,d4 s’il te plaît",
        "Mi jugada: a1-c3,d4, por favor",
        "La mia mossa è a1-c3,d4",
        "МОЙ ХОД: a1-c3,d4",
        "我走a1-c3,d4",
        "a1-c3,d4 お願いします",
    ],
)
def test_what_does_not_matter(line: str) -> None:
    found = whole_move(line)
    assert found is not None
    assert (found.move, found.board, found.line[:400]) == (MOVE, None, found.line)


@each_row(
    "line",
    [
        "a1-c3,d4?",
        "a1-c3,d4...",
        "a1-c3,d4…",
        "(a1-c3,d4)",
        "a1-c3,d4 🤔",
        "a1-c3,d4 👎",
        "a1-c3,d4 🤷‍♂️",
        "a1-c3,d4 good luck",
        "You play a1-c3,d4",
        "I played a1-c3,d4",
        "not a1-c3,d4",
        "a1-c3,d4 i5-g5,h5",
        "1. a1-c3,d4 i5-g5,h5",
        "1 (#1). a1-c3,d4 i5-g5,h5",
        '"a1-c3,d4',
        "» a1-c3,d4",
        "> a1-c3,d4",
        "| a1-c3,d4",
        "- a1-c3,d4",
        "* a1-c3,d4",
        ": a1-c3,d4",
        "# a1-c3,d4",
        "} a1-c3,d4",
        "MQO> a1-c3,d4",
        "=> a1-c3,d4",
        "move 1. a1-c3,d4",
        "move 12 alice secret a1-c3,d4",
        "please " * 13 + MOVE,
        "please " * 90 + MOVE,
    ],
)
def test_what_does(line: str) -> None:
    assert whole_move(line) is None


@each_row(
    ("line", "text"),
    [
        ("c3 to d4", "c3 → d4"),
        ("From C3 to D4, please!", "c3 → d4"),
        ("c 3 to d 4", "c 3 → d 4"),
        ("I move c3 to d4.", "c3 → d4"),
        ("von c3 nach d4", "c3 → d4"),
        ("c3到d4", "c3→d4"),
        ("c3 -> d4", "c3 → d4"),
        ("a1, b2 and c3 to d4", "a1, b2 c3 → d4"),
        ("move c3d4", "c3d4"),
        ("a1-c3,d4?", "a1-c3,d4?"),
        ("e4", "e4"),
        ("I 5", None),
        ("e10 e11", None),
        ("c3 to the edge", None),
        ("Is e4 free?", None),
        ("} c3 d4", None),
        ("a1 a2 a3 a4 a5 b1 b2", None),
        ("", None),
        ("to", None),
    ],
)
def test_what_is_nearly_a_move(line: str, text: str | None) -> None:
    assert nearly_move(line, default_game()) == text


def test_what_is_too_long_is_left_as_it_is() -> None:
    text = "!" * 101
    assert undressed(text) == text
    assert undressed("!" * 100) == ""
    assert with_signs("") == ""
