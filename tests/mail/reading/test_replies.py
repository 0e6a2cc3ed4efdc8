"""What mail programs send as an answer, and what its writer said in it.

The files under `replies/` are written after the programs' known forms; in all of them only
`a5-b5` would be a move that was quoted, and never is said.
"""

from pathlib import Path

import pytest
from selectolax.lexbor import SelectolaxError

from pbm.mail.reading import htmltext
from pbm.mail.reading.htmltext import html_to_text
from tests.mail.reading.our_mails import own_words
from tests.rows import each_row

_HERE = Path(__file__).parent


def _cases(folder: Path) -> list[tuple[str, str, tuple[str, ...]]]:
    found = []
    for path in sorted(folder.glob("*.txt")):
        for case in path.read_text(encoding="utf-8").split("#### ")[1:]:
            if case.startswith("says"):
                said = case.partition("\n")[2].rstrip("\n")
                found[-1] += (tuple(said.split("\n")) if said else (),)
            else:
                name, _, text = case.partition("\n")
                found.append((f"{path.stem}: {name}", text))
    return found


CASES = _cases(_HERE / "replies")
HTML_CASES = _cases(_HERE / "replies_html")


@each_row(("name", "text", "said"), CASES, ids=[case[0] for case in CASES])
def test_own_words_of_a_reply(name: str, text: str, said: tuple[str, ...]) -> None:
    assert own_words(text) == said, name


def test_no_quoted_move_is_said() -> None:
    for name, text, said in CASES:
        assert not any("a5-b5" in line for line in own_words(text)), (name, said)


@each_row(("name", "html", "said"), HTML_CASES, ids=[c[0] for c in HTML_CASES])
def test_own_words_of_an_html_reply(name: str, html: str, said: tuple[str, ...]) -> None:
    assert own_words(html_to_text(html)) == said, name


def test_html_that_cannot_be_parsed_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_html: str) -> None:
        raise SelectolaxError("Can't parse HTML.")

    monkeypatch.setattr(htmltext, "LexborHTMLParser", refuse)
    assert html_to_text("<p>x") == ""


def test_there_are_replies_enough() -> None:
    assert len(CASES) + len(HTML_CASES) >= 60
