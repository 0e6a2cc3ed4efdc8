"""How the tests read the source of the program, whatever runs beside them."""

import ast
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import sources


class Waste:
    """What only the collector takes away, and what parses then, as a traceback's carets do."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        self.parse(deeper=9)

    def parse(self, deeper: int) -> None:
        if deeper:
            self.parse(deeper - 1)
        else:
            ast.parse("f(1) + 2")


@pytest.fixture
def eager_collector() -> Iterator[None]:
    kept = gc.get_threshold()
    gc.set_threshold(30, 3, 3)
    yield
    gc.set_threshold(*kept)


@pytest.mark.usefixtures("eager_collector")
def test_garbage_that_parses_disturbs_no_parse() -> None:
    for file in sorted((sources.PROGRAM / "store").rglob("*.py"))[:12]:
        text = file.read_text(encoding="utf-8")
        wastes = [Waste() for _ in range(3)]
        wastes.clear()
        assert isinstance(sources.parsed(text), ast.Module)


def test_what_a_file_says_is_read(tmp_path: Path) -> None:
    file = tmp_path / "said.py"
    file.write_text('def one(a):\n    def two(): a.refuse("x" if a else "y", fault="z")\n')
    said = sources.source(file)
    assert said.functions == ("one", "two")
    assert said.texts == {"x", "y", "z"}
    (call,) = said.calls
    assert (call.name, call.plain, call.texts) == ("refuse", False, ({"x", "y"},))
    assert call.named == {"fault": {"z"}}
