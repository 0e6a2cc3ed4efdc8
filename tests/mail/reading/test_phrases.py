"""The files of words by which quotations and footers are known."""

from pathlib import Path

import pytest

from pbm.mail.reading.quoting_marks import PHRASES, read_phrases
from pbm.word_lists import WordListError
from tests.mail.reading.our_mails import own_words


def test_a_file_of_phrases(tmp_path: Path) -> None:
    text = (
        "# Words.\n\n== wrote ==\nSchrieb\n\n== footer start ==\nGesendet von …\nEinschließlich\n"
    )
    (tmp_path / "german.txt").write_text(text, encoding="utf-8")
    (tmp_path / "dutch.txt").write_text("== wrote ==\nschreef\nschrieb\n", encoding="utf-8")
    phrases = read_phrases(tmp_path)
    assert phrases["wrote"] == ("schreef", "schrieb")
    assert phrases["footer start"] == ("gesendet von ", "einschliesslich")


@pytest.mark.parametrize("text", ["schrieb\n", "== wrote ==\nschrieb\n== written ==\nx\n"])
def test_a_line_in_no_section_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "german.txt").write_text(text, encoding="utf-8")
    with pytest.raises(WordListError, match=r"^german\.txt, line [13], is in no section"):
        read_phrases(tmp_path)


def test_no_section_is_empty() -> None:
    assert all(PHRASES.values())


@pytest.mark.parametrize(
    "footer", ["Diese E-Mail ist ausschließlich für Marta bestimmt.", "Sent from my telephone"]
)
def test_a_footer_is_known_however_it_is_written(footer: str) -> None:
    assert own_words(f"Good game!\n\n{footer}\n") == ("Good game!",)
