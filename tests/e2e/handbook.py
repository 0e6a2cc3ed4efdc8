"""The files that the operator's handbook tells to write, as it has them."""

import re
from pathlib import Path

_HANDBOOK = Path(__file__).resolve().parents[2] / "docs" / "operating.md"
_FILE = re.compile(r"# (?:/etc/postfix/)?([a-z_.]+)(?:, .*)?")


def files_under(heading: str) -> dict[str, str]:
    """What the code blocks below a heading, up to the next one, put into which file."""
    text = _HANDBOOK.read_text(encoding="utf-8")
    assert text.count(f"\n{heading}\n") == 1, f"the handbook has no '{heading}'"
    section = re.split(r"\n##+ ", text.split(f"\n{heading}\n")[1])[0]
    files: dict[str, str] = {}
    name = ""
    for line in section.split("\n"):
        if not line.startswith("    "):
            continue
        if begun := _FILE.fullmatch(line.strip()):
            name = begun[1]
            files[name] = ""
        elif name:
            files[name] += f"{line.strip()}\n"
    return files
