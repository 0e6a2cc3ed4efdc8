"""Each promise to the mail world has tests that bear its number, and a row that names them."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests import sources

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "docs" / "mail.md").read_text(encoding="utf-8")
NUMBERS = range(1, 24)
_NAME = re.compile(r"(?:test_|_)promise_(\d+)(?=_)")


@cache
def by_number() -> dict[int, list[str]]:
    """The test functions, and the files that have any, by the promises that they are named for."""
    found: dict[int, list[str]] = {}
    for path in sorted(sources.TESTS.rglob("test_*.py")):
        functions = [name for name in sources.source(path).functions if name.startswith("test_")]
        for name in [*functions, *([f"{path.stem}_"] if functions else [])]:
            for number in _NAME.findall(name):
                assert len(number) == 2, f"{path}: {name}"
                found.setdefault(int(number), []).append(f"{path.relative_to(ROOT)}: {name}")
    return found


def rows() -> dict[int, list[str]]:
    """The rows of the table, by number."""
    lines = [line for line in TABLE.split("\n") if re.match(r"\| \d+ \|", line)]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {int(row[0]): row[1:] for row in cells}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_promise_has_tests_of_its_number(number: int) -> None:
    assert by_number().get(number), number


def test_no_test_is_of_a_promise_that_nobody_gave() -> None:
    assert set(by_number()) == set(NUMBERS) == set(rows())


@pytest.mark.parametrize("number", NUMBERS)
def test_the_table_names_tests_of_the_promise(number: int) -> None:
    """What it names is there; one of it has tests of that number."""
    named = re.findall(r"`(tests/[\w/.-]+)`", rows()[number][1])
    assert named, f"promise {number} names no test"
    assert [name for name in named if not (ROOT / name).exists()] == []
    tests = by_number()[number]
    assert [name for name in named if any(test.startswith(name) for test in tests)], tests
