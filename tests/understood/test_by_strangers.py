"""Sentences by people who knew neither code nor lists, and what becomes of them.

Each row of `by_strangers/` was written down before it was tried. The wordings of the first files
have been looked at since. Wanted are 95 of 100 yeses; the bound is what is reached.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.understood.expectations import Happened, Row
from tests.understood.scenes import Scenes

HERE = Path(__file__).parent / "by_strangers"
# What a yes does in each situation; the names of these are the rows' first words, but for two.
DEEDS = {
    "signup": "signed-up marta",
    "invitation": "signed-up dave",
    "resign": "done resign",
    "draw": "done accept draw",
    "takeback": "done accept takeback",
    "move": "played a1-c3,b2",
    "delete": "done delete",
    "challenge": "done challenge",
}
SITUATIONS = {"signup": "welcome", "invitation": "invited", "mine": "turn", "theirs": "waiting"}
FEWEST_YES, MOST_SENT_ON, MOST_HELD_BACK = 0.93, 0.01, 0.01
WAYS = ("server", "opponent")


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory, sqlite_tables: Path) -> Scenes:
    """The situations, set up once."""
    return Scenes(tmp_path_factory.mktemp("scenes"), sqlite_tables)


def played(name: str, scenes: Scenes) -> Iterator[tuple[str, str, str, Happened]]:
    """Yield of each row of the files its place, its text, what is meant, and what happened."""
    for file in sorted(HERE.glob(f"{name}*.tsv")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            place, language, text, meant = line.split("\t")
            situation, said = SITUATIONS.get(place, place), text.replace(" / ", "\n")
            row = Row(number, situation, language, "", said, "")
            yield place, f"{file.name} {number}, {place}: {text}", meant, scenes.happens(row)


@pytest.mark.thorough
def test_a_yes_does_what_was_asked_and_nothing_else_does(scenes: Scenes) -> None:
    found = list(played("answers", scenes))
    done = [(DEEDS[place] in happened.things, row) for place, row, _, happened in found]
    wanted = [meant == "yes" for _, _, meant, _ in found]
    missed = [item for item, yes in zip(done, wanted, strict=True) if yes and not item[0]]
    wrong = [item for item, yes in zip(done, wanted, strict=True) if not yes and item[0]]
    for (_, row, _, happened), yes in zip(found, wanted, strict=True):
        print("" if yes else "no yes:", row, "->", happened)
    assert not wrong, wrong
    assert len(missed) <= (1 - FEWEST_YES) * sum(wanted), missed


@pytest.mark.thorough
def test_words_go_to_those_for_whom_they_are(scenes: Scenes) -> None:
    found = list(played("board", scenes))
    sent = {way: [bool(item[3].said) for item in found if item[2] == way] for way in WAYS}
    for place, row, meant, happened in found:
        if bool(happened.said) != (meant == "opponent"):
            print(place, meant, row, "->", happened)
    assert sum(sent["server"]) <= MOST_SENT_ON * len(sent["server"])
    assert sum(not item for item in sent["opponent"]) <= MOST_HELD_BACK * len(sent["opponent"])
