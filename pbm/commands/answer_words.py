"""The words that people answer with, in many languages: yes and no, and what stands beside them.

They are data: `languages/yes-no.txt`, which docs/replies.md describes. It is read once, when this
module is imported.
"""

import unicodedata
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from pbm.word_lists import read_sections

_FILE: Final = Path(__file__).with_name("languages") / "yes-no.txt"


@dataclass(frozen=True)
class AnswerWords:
    """All phrases in small letters; a field for each section of the file, which explains them."""

    yes: frozenset[str]
    gladly: frozenset[str]
    no: frozenset[str]
    no_alone: frozenset[str]
    no_undivided: frozenset[str]
    harmless: frozenset[str]
    unsubscribe: frozenset[str]
    stop: frozenset[str]
    stop_alone: frozenset[str]
    stop_undivided: frozenset[str]
    not_: frozenset[str]
    doubt: frozenset[str]
    asks_on: frozenset[str]
    doubt_undivided: frozenset[str]
    no_doubt: frozenset[str]
    accepting: frozenset[str]
    again: frozenset[str]
    leaving: frozenset[str]
    polite: frozenset[str]
    before_a_no: frozenset[str]
    greeting: frozenset[str]
    name_follows: frozenset[str]
    everyday: frozenset[str]

    @property
    def no_mail(self) -> frozenset[str]:
        """What begins a wish for no more mail."""
        return self.unsubscribe | self.stop


def small(text: str) -> str:
    """Words in small letters, joined by single blanks.

    A word with a letter that only looks like one of ASCII stays as it is, so that it is no other.

    >>> small("SÍ  Claro \u212a")
    'sí claro \u212a'
    """
    return " ".join(map(_small_word, text.split()))


def _small_word(word: str) -> str:
    lower = unicodedata.normalize("NFC", word).lower()
    return word if lower.isascii() and not word.isascii() else lower


def _read() -> AnswerWords:
    sections = {
        field.name.strip("_").replace("_", " "): field.name for field in fields(AnswerWords)
    }
    found = read_sections(_FILE, sections, lambda line: map(small, line.split(",")))
    return AnswerWords(**{sections[name]: frozenset(some) for name, some in found.items()})


ANSWER_WORDS: Final = _read()
