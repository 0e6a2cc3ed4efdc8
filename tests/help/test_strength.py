"""The pages of the robots say how strong they are, with the figures of the table."""

import re
from pathlib import Path

import pytest

from pbm.commands.families import help as help_command
from pbm.robots.thinking import QUIET, STILL
from pbm.rules.robots import ROBOTS
from tests.help.pages import page_text

TABLE = """# How strong the robots are

<!-- arena ladder -->
| who | won | no result | lost | plies, median | asked |
| --- | --- | --- | --- | --- | --- |
| `pebble` v any move | 40 | 0 | 0 | 90 | 40 of 40 |
| `cobble` v `pebble` | 36 | 1 | 3 | 80 | 34 of 40 |
| `boulder` v `cobble` | 39 | 0 | 1 | 80 | 34 of 40 |
<!-- /arena ladder -->
| `boulder` v `pebble` | 1 | 0 | 9 | 80 | 34 of 40 |
"""
COBBLE = "cobble won 36 of 40 games against pebble; 1 had no winner."
BOULDER = "boulder won 39 of 40 games against cobble."


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "strength.md"
    monkeypatch.setattr(help_command, "strength_file", lambda: path if path.exists() else None)
    return path


def test_the_page_has_the_figures_of_the_games(table: Path) -> None:
    table.write_text(TABLE, encoding="utf-8")
    told = " ".join(page_text("robots").split())
    assert f"{COBBLE} {BOULDER}" in told
    assert "1 of 10" not in told


@pytest.mark.parametrize("written", ["", "<!-- arena ladder -->\n<!-- /arena ladder -->\n", None])
def test_what_was_not_measured_is_not_told(table: Path, written: str | None) -> None:
    if written is not None:
        table.write_text(written, encoding="utf-8")
    text = page_text("robots")
    assert " won " not in text
    assert "{{" not in text
    assert "\n\n\n\n" not in text


def test_the_page_tells_of_all_robots_in_order() -> None:
    assert re.findall(r'^- "(\w+)"', page_text("robots"), re.MULTILINE)[: len(ROBOTS)] == [*ROBOTS]
    assert ROBOTS["cobble"].budget.depth == 3
    assert 'cobble" looks three moves ahead' in page_text("robots")


def test_the_page_says_after_how_many_moves_a_draw_is_taken() -> None:
    told = " ".join(page_text("robots").split())
    assert f"for {QUIET} moves each ({STILL} if it is ahead)" in told
