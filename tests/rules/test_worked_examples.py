"""The four moves that the classic server's page explains with diagrams, before and after."""

from pbm.rules import abalone as rules
from tests.rows import each_row
from tests.rules.setups import drawn

START = """
        1 2 3 4 5
        / / / / / 6
    A- o o o o o / 7
   B- o o o o o o / 8
  C- . . o o o . . / 9
 D- . . . . . . . . /
E- . . . . . . . . .
 F- . . . . . . . .
  G- . . x x x . .
   H- x x x x x x
    I- x x x x x
"""

ONE_MARBLE = """
        1 2 3 4 5
        / / / / / 6
    A- o o o o o / 7
   B- o o o o o o / 8
  C- . . o o . . . / 9
 D- . . . . o . . . /
E- . . . . . . . . .
 F- . . . . . . . .
  G- . . x x x . .
   H- x x x x x x
    I- x x x x x
"""

THREE_IN_LINE = """
        1 2 3 4 5
        / / / / / 6
    A- . o o o o / 7
   B- o o o o o o / 8
  C- . . o o o . . / 9
 D- . . . o . . . . /
E- . . . . . . . . .
 F- . . . . . . . .
  G- . . x x x . .
   H- x x x x x x
    I- x x x x x
"""

THREE_SIDEWAYS = """
        1 2 3 4 5
        / / / / / 6
    A- o o o o o / 7
   B- o o o o o o / 8
  C- . . . . . . . / 9
 D- . . . o o o . . /
E- . . . . . . . . .
 F- . . . . . . . .
  G- . . x x x . .
   H- x x x x x x
    I- x x x x x
"""

BEFORE_EJECTION = """
        1 2 3 4 5
        / / / / / 6
    A- o o o o o / 7
   B- o o o o o o / 8
  C- . . o . . . . / 9
 D- . . . . . . . . /
E- . . . . . . o . .
 F- . . . . . . o .
  G- . . x x x . x
   H- x x x x x .
    I- x x x x x
"""

AFTER_EJECTION = """
        1 2 3 4 5
        / / / / / 6
    A- o o o o o / 7
   B- o o o o o o / 8
  C- . . o . . . . / 9
 D- . . . . . . . . /
E- . . . . . . . . .
 F- . . . . . . o .
  G- . . x x x . o
   H- x x x x x .
    I- x x x x x
"""


@each_row(
    ("before", "spelling", "canonical", "after", "ejected"),
    [
        (START, "c5,d5", "c5,d5", ONE_MARBLE, ()),
        (START, "a1-c3,b2", "a1-c3,b2", THREE_IN_LINE, ()),
        (START, "a1-c3,d4", "a1-c3,b2", THREE_IN_LINE, ()),
        (START, "c3-c5,d4", "c3-c5,d4", THREE_SIDEWAYS, ()),
        (START, "c3-c5,d6", "c3-c5,d4", THREE_SIDEWAYS, ()),
        (BEFORE_EJECTION, "e7-f8,f8", "e7-f8,f8", AFTER_EJECTION, (2,)),
        (BEFORE_EJECTION, "e7-f8,g9", "e7-f8,f8", AFTER_EJECTION, (2,)),
    ],
)
def test_worked_example(
    before: str, spelling: str, canonical: str, after: str, ejected: tuple[int, ...]
) -> None:
    position = drawn(before)
    assert position.drawn() == before.strip("\n")
    played = position.play(rules.parse_move(spelling, position))
    assert played.position.drawn() == after.strip("\n")
    assert str(played.move) == canonical
    assert played.ejected == ejected
    assert played.position.scores == (len(ejected), 0)
    assert played.effect.get("from") == ("g9" if ejected else None)


def test_the_first_picture_is_the_start() -> None:
    assert drawn(START) == rules.start("standard", 2)
