"""A guide shows code that is in the tree."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/adding-a-command.md").read_text("utf-8")
SHOWN = ("pbm/commands/families/play.py", "tests/conversations/test_preview.py")


def test_the_lines_of_the_guide_are_in_the_files_that_it_names() -> None:
    code = "\n".join((ROOT / path).read_text("utf-8") for path in SHOWN)
    lines = {line.strip() for line in re.findall(r"^ {4}(.*\S)$", GUIDE, re.MULTILINE)} - {"..."}
    assert len(lines) > 15
    assert {line for line in lines if line not in code} == set()
    assert all(f"`{path}`" in GUIDE for path in SHOWN)
