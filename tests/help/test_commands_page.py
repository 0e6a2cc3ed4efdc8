"""`docs/commands.md` has the commands of the registry and the limits of `help limits`.

After a wanted change run `REGOLD=1 make test ARGS=tests/help/test_commands_page.py`.
"""

import os
import re
from pathlib import Path
from textwrap import fill

from pbm.commands.registry import COMMANDS
from tests.help.pages import command_table, page_text

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def limits() -> str:
    """`help limits` as Markdown: capitals are headings, and commands are code."""
    text = re.sub(
        r"^[A-Z][A-Z ]+$",
        lambda title: f"### {title[0].capitalize()}",
        page_text("limits"),
        flags=re.MULTILINE,
    )
    text = re.sub(r'"([^"]+)"', lambda quoted: f"`{' '.join(quoted[1].split())}`", text).strip()
    return re.sub(r"(?:^(?!#|$).*\n?)+", _refilled, text, flags=re.MULTILINE)


def _refilled(block: re.Match[str]) -> str:
    """Fill the lines of a paragraph or list anew, since figures and code have other lengths."""
    items = re.split(r"\n(?=- )", block[0].rstrip("\n"))
    lines = (
        fill(" ".join(item.split()), 100, subsequent_indent="  " * item.startswith("- "))
        for item in items
    )
    return "\n".join(lines) + "\n" * block[0].endswith("\n")


def test_the_page_has_what_the_program_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    whole = text
    for name, generated in (("commands", command_table(COMMANDS)), ("limits", limits())):
        opening, closing = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        assert text.count(opening) == text.count(closing) == 1
        before, after = whole.partition(opening)[0], whole.partition(closing)[2]
        whole = f"{before}{opening}{generated}\n{closing}{after}"
    if os.environ.get("REGOLD"):
        PAGE.write_text(whole, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == whole
