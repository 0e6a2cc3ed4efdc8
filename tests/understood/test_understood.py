"""What newcomers write, and what must become of it: nearly always the right thing, never harm."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.understood.expectations import Happened, Row, rows
from tests.understood.scenes import Scenes

HERE = Path(__file__).parent
# How many rows a file has, how many must be right, and how many languages it has at least.
FILES = {
    "first_sentences.txt": (120, 115, 12),
    "answers.txt": (180, 164, 12),
    "sentences.txt": (201, 197, 10),
    "wishes.txt": (227, 224, 6),
    "moves.txt": (69, 69, 12),
    "watching.txt": (128, 126, 8),
    "talk.txt": (90, 87, 8),
    "topics.txt": (156, 155, 8),
}

LONG = {"watching.txt", "topics.txt"}


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory, sqlite_tables: Path) -> Scenes:
    """The situations, set up once."""
    return Scenes(tmp_path_factory.mktemp("scenes"), sqlite_tables)


@pytest.mark.parametrize(
    "file",
    [
        *sorted(set(FILES) - LONG),
        *(pytest.param(file, marks=pytest.mark.thorough) for file in LONG),
    ],
)
def test_what_people_write_is_understood(file: str, scenes: Scenes) -> None:
    played = [(row, scenes.happens(row)) for row in rows(HERE / file)]
    judged = [(as_played(row, scenes), happened) for row, happened in played]
    wrong = [told(row, happened) for row, happened in judged if not row.is_right(happened)]
    harmful = [told(row, happened) for row, happened in judged if row.is_harmful(happened)]
    right = len(judged) - len(wrong)
    found = f"{file}: {right} of {len(judged)} right, {len(harmful)} harmful"
    print("\n\n".join([found, *wrong, "Harmful:", *harmful]))
    assert right >= FILES[file][1], found
    assert not harmful, found


@pytest.mark.parametrize("file", FILES)
def test_the_rows_are_many_and_of_many_languages(file: str) -> None:
    found = list(rows(HERE / file))
    count = FILES[file][0]
    assert len(found) == count
    assert len({row.language for row in found}) >= FILES[file][2]
    assert len({(row.situation, row.subject, row.text) for row in found}) == count


def as_played(row: Row, scenes: Scenes) -> Row:
    """A row with its moves in the form in which what was played is told."""
    return Row(**{**vars(row), "must": "".join(_with_moves(row, scenes))})


def _with_moves(row: Row, scenes: Scenes) -> Iterator[str]:
    for part in re.split(r"(?<=played )(\S+)|(?<=asked )([a-i]\d\S*)", row.must):
        is_move = part and re.match(r"[a-i]\d\S*,", part)
        yield scenes.plays(row, part) if is_move else part or ""


def told(row: Row, happened: Happened) -> str:
    """A row that went wrong, for people."""
    head = f"{row.number}. {row.situation}, {row.language}: {row.must}\n   was: {happened}"
    lines = ([f"Subject: {row.subject}"] if row.subject else []) + row.text.splitlines()
    return "\n".join([head, *(f"   | {line}" for line in lines)])
