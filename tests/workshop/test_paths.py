"""A file that the documents name is there: whoever moves one corrects them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:[\w.-]+/)+[\w.-]*\.(?:py|txt|md|toml|c|json))`")
STANDS_FOR_ANY = re.compile(r"\b(?:NAME|COMMAND)\b")


def documents() -> list[Path]:
    return [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def missing(text: str) -> list[str]:
    """The paths in a text that lead nowhere, from the checkout or from `pbm/`.

    A name in capitals stands for any, as in `help/NAME.txt`.
    """
    named = {path for path in NAMED.findall(text) if not STANDS_FOR_ANY.search(path)}
    return sorted(
        path for path in named if not any((ROOT / at / path).exists() for at in ("", "pbm"))
    )


def test_files_that_documents_name_are_there() -> None:
    found = {str(file.relative_to(ROOT)): missing(file.read_text("utf-8")) for file in documents()}
    assert {name: paths for name, paths in found.items() if paths} == {}


def test_a_path_that_leads_nowhere_is_found() -> None:
    assert missing("`service/turn.py`, `pbm/clock.py`, `commands/play.py`") == ["service/turn.py"]
