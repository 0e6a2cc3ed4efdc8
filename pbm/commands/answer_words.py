"""The words that people answer with, in many languages: yes and no, and what stands beside them.

They are data: `languages/yes-no.txt`, which docs/replies.md describes. It is read once, when this
module is imported.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("languages") / "yes-no.txt"


class AnswerWordsError(ValueError):
    """A line of the file cannot be read; ``str()`` names the file and the line."""


@dataclass(frozen=True)
class AnswerWords:
    """All phrases in small letters; a field for each section of the file, which explains them."""

    yes: frozenset[str] = frozenset()
    gladly: frozenset[str] = frozenset()
    no: frozenset[str] = frozenset()
    no_alone: frozenset[str] = frozenset()
    no_undivided: frozenset[str] = frozenset()
    harmless: frozenset[str] = frozenset()
    stop: frozenset[str] = frozenset()
    stop_alone: frozenset[str] = frozenset()
    stop_undivided: frozenset[str] = frozenset()
    not_: frozenset[str] = frozenset()
    doubt: frozenset[str] = frozenset()
    asks_on: frozenset[str] = frozenset()
    doubt_undivided: frozenset[str] = frozenset()
    no_doubt: frozenset[str] = frozenset()
    accepting: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()
    leaving: frozenset[str] = frozenset()
    polite: frozenset[str] = frozenset()
    before_a_no: frozenset[str] = frozenset()
    greeting: frozenset[str] = frozenset()
    name_follows: frozenset[str] = frozenset()
    everyday: frozenset[str] = frozenset()


_SECTIONS: Final = {
    f"== {field.name.strip('_').replace('_', ' ')} ==": field.name for field in fields(AnswerWords)
}


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


def read_answer_words(file: Path) -> AnswerWords:
    """The phrases of the file. Raises AnswerWordsError and OSError."""
    found: dict[str, set[str]] = {name: set() for name in _SECTIONS.values()}
    for section, phrase in _read(file):
        found[section].add(phrase)
    return AnswerWords(**{name: frozenset(phrases) for name, phrases in found.items()})


def _read(file: Path) -> Iterator[tuple[str, str]]:
    """Each phrase, with the name of its section before it."""
    section = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("=="):
            section = _SECTIONS.get(line, "")
        if not section:
            raise AnswerWordsError(
                f"{file.name}, line {number}, is in no section; they are {', '.join(_SECTIONS)}."
            )
        if line not in _SECTIONS:
            yield from ((section, small(part.strip())) for part in line.split(",") if part.strip())


ANSWER_WORDS: Final = read_answer_words(_FILE)
