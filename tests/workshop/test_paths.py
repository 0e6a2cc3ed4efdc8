"""A file that the documents name is there: whoever moves one corrects them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:[\w.-]+/)+[\w.-]*\.(?:py|txt|md|toml|c|json))`")
STANDS_FOR_ANY = re.compile(r"\b(?:NAME|COMMAND)\b")
LINK = re.compile(r"\]\((?!\w+:)([^()\s]*)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
IN_CODE = re.compile(r"\bdocs/[\w./-]+\.md\b")


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
    assert missing("`service/turn.py`, `pbm/clock.py`, `commands/script.py`") == ["service/turn.py"]


def anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    titles = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(text))
    return {title.strip().replace(" ", "-") for title in titles}


def dead_links(file: Path) -> list[str]:
    """The links of a document to files or headings that are not there."""
    dead = []
    for link in LINK.findall(file.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = file.parent / path if path else file
        if not target.exists() or (anchor and anchor not in anchors(target.read_text("utf-8"))):
            dead.append(link)
    return dead


def test_links_between_documents_lead_somewhere() -> None:
    found = {str(file.relative_to(ROOT)): dead_links(file) for file in documents()}
    assert {name: links for name, links in found.items() if links} == {}


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title, and more\n[a](#a-title-and-more) [b](page.md) [c](#c) [d](d.md)\n")
    assert dead_links(page) == ["#c", "d.md"]


def test_documents_that_code_names_are_there() -> None:
    sources = [*ROOT.glob("pbm/**/*.py"), *ROOT.glob("pbm/**/*.txt"), *ROOT.glob("tests/**/*.py")]
    named = {path for file in sources for path in IN_CODE.findall(file.read_text("utf-8"))}
    assert {path for path in named if not (ROOT / path).exists()} == set()


def test_no_decision_is_named_by_a_number() -> None:
    sources = [*documents(), *ROOT.glob("pbm/**/*.py"), *ROOT.glob("tests/**/*.py")]
    numbered = re.compile(r"\bADR [0-9]")
    assert [str(file) for file in sources if numbered.search(file.read_text("utf-8"))] == []
