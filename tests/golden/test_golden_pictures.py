"""The pictures of boards, pixel for pixel.

After a wanted change of their look run `REGOLD=1 make test ARGS=tests/golden` and look at
every one of them before you commit it.
"""

import os
from pathlib import Path

import pytest

from pbm.mail.writing import picture
from pbm.rules import abalone as rules
from pbm.rules.contract import Moved
from tests.pictures import pixels
from tests.rows import each_row

FOLDER = Path(__file__).parent / "pictures"
MOST_BYTES = {2: 23_000, 3: 24_000, 4: 25_000, 5: 26_000, 6: 29_000}

STATES = {
    "two-at-the-start": (rules.start().state(), ""),
    "two-at-the-start-small": (rules.start().state(), ""),
    "two-after-a-move": (rules.start().state(), "a1-c3,d4"),
    "two-sideways": (rules.start().state(), "c3-c5,d4"),
    "two-pushed-off": (
        "1.22./.1122./111..2./.....2../........./..2...../2.2.11./22.111/22.11 1 1,1 quiet=7",
        "c3-b3,b3",
    ),
    "two-pillar": (rules.start(pillar=True).state(), "c3,d3"),
    "three": (rules.start("standard", 3).state(), "b1-b3,c1", "d8,d7"),
    "four-in-teams": (rules.start("standard", 4, teams=True).state(), ""),
    "five": (rules.start("standard", 5).state(), ""),
    "six-pushed-off": (
        "11.22/1.12.2/1...233/661...23/66.....33/.6.....3/6555..4/5..444/55.44"
        " 4 0,0,0,0,0,0 quiet=9",
        "i9-g9,h9",
    ),
    "six-after-five": (
        rules.start("standard", 6).state(),
        *("a2-c4,d5", "d8-d6,d5", "g8,g7", "i8-g6,f5", "f2-f4,f5"),
    ),
}
NAMES = sorted(STATES)


def drawing(name: str) -> dict[str, object]:
    state, *texts = STATES[name]
    position, moves = rules.parse_state(state), []
    for text in filter(None, texts):
        seat = position.turn or 0
        played = position.play(rules.parse_move(text, position))
        moves.append(Moved(seat, str(played.move), played.effect))
        position = played.position
    seat = position.turn or 1
    reader = {"named": str(seat), "you": str(seat), "partners": str(position.partner(seat) or "")}
    reader |= {"small": True} if name.endswith("-small") else {}
    players = len(position.seats)
    reader["start"] = rules.drawing(rules.start("standard", players), ())["signs"]
    return {**rules.drawing(position, tuple(moves)), **reader}


@each_row("name", NAMES)
def test_the_picture_is_as_it_was(name: str) -> None:
    file = FOLDER / f"{name}.png"
    png = picture.png(picture.described(drawing(name)))
    if os.environ.get("REGOLD"):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(png)
    assert pixels(png) == pixels(file.read_bytes())


@each_row("name", NAMES)
def test_the_picture_is_small(name: str) -> None:
    found = drawing(name)
    most = 6_500 if "small" in found else MOST_BYTES[len(str(found["seats"]))]
    assert len(picture.png(picture.described(found))) <= most


def test_every_picture_is_here() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.png")) == NAMES


@pytest.mark.parametrize("name", [name for name in NAMES if "pushed-off" in name])
def test_somebody_is_pushed_off_where_the_name_says_so(name: str) -> None:
    assert drawing(name)["moves"][-1]["off"]  # type: ignore[index]
