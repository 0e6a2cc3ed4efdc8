"""The pages of the robots say how strong they are, with the figures of the table."""

from pathlib import Path

import pytest

from pbm.commands.families import help as help_command
from pbm.robots.thinking import QUIET, ROBOTS, STILL
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


def test_each_page_has_the_figures_of_its_own_games(table: Path) -> None:
    table.write_text(TABLE, encoding="utf-8")
    told = {name: " ".join(page_text(name).split()) for name in ("robots", *ROBOTS)}
    assert all((COBBLE in text) == (name != "boulder") for name, text in told.items())
    assert all((BOULDER in text) == (name != "pebble") for name, text in told.items())
    assert not any("1 of 10" in text for text in told.values())


@pytest.mark.parametrize("written", ["", "<!-- arena ladder -->\n<!-- /arena ladder -->\n", None])
def test_what_was_not_measured_is_not_told(table: Path, written: str | None) -> None:
    if written is not None:
        table.write_text(written, encoding="utf-8")
    for name in ("robots", *ROBOTS):
        text = page_text(name)
        assert "won" not in text
        assert "{{" not in text
        assert "\n\n\n\n" not in text


def test_the_pages_say_how_far_each_robot_looks() -> None:
    assert ROBOTS["pebble"].budget.depth == 1
    assert "looks at its own moves and no farther" in page_text("pebble")
    assert ROBOTS["cobble"].budget.depth == 3
    assert "looks three moves ahead" in page_text("cobble")
    assert ROBOTS["boulder"].budget.depth is None


def test_the_page_says_after_how_many_moves_a_draw_is_taken() -> None:
    told = " ".join(page_text("robots").split())
    assert f"for {QUIET} moves each ({STILL} if it is ahead)" in told
