"""A guide shows code that is in the tree."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/adding-a-command.md").read_text("utf-8")
SHOWN = (
    "pbm/commands/families/play.py",
    "help/commands/preview.txt",
    "tests/conversations/test_preview.py",
)


def test_the_lines_of_the_guide_are_in_the_files_that_it_names() -> None:
    code = "\n".join((ROOT / path).read_text("utf-8") for path in SHOWN)
    lines = {line.strip() for line in re.findall(r"^ {4}(.*\S)$", GUIDE, re.MULTILINE)} - {"..."}
    assert len(lines) > 15
    assert {line for line in lines if line not in code} == set()
    assert all(f"`{path}`" in GUIDE for path in SHOWN)


def test_names_of_code_in_the_guides_are_in_the_tree() -> None:
    """Classes, constants and names with an underscore. `test_paths` looks at files."""
    folders = ("pbm", "tests", "templates")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.*")]
    texts = [
        f"{file.stem} {file.read_text('utf-8')}" for file in files if file.suffix in (".py", ".txt")
    ]
    known = {name for text in texts for name in re.findall(r"\w+", text)}
    for guide in [*ROOT.glob("docs/adding-*.md"), ROOT / "docs/tour.md"]:
        quoted = re.findall(r"`([^`\n]+)`", guide.read_text("utf-8"))
        names = {name for code in quoted for name in re.findall(r"\b[A-Za-z_]\w{3,}", code)}
        ours = {name for name in names if "_" in name or re.match(r"[A-Z]\w*[a-z]", name)}
        assert ours - known == set(), guide.name
