"""Lists of words and phrases by language, which are text files in `languages/`.

A line is a phrase, a line such as `== no ==` begins a section, and one with `#` before it is a
comment. Capital and small letters are the same. The files are read when the program starts.
"""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from pbm.mail.reading.charsets import fold_typography

_FOLDER: Final = Path(__file__).with_name("languages")
_SECTION = re.compile(r"== (.+) ==")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


class WordListError(ValueError):
    """A line of a list cannot be read; ``str()`` names the file and the line."""


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, without the signs between them.

    >>> words_of("Can't we call it a draw?")
    ["can't", 'we', 'call', 'it', 'a', 'draw']
    """
    return _WORD.findall(fold_typography(text).casefold())


def phrase_of(text: str) -> str:
    """The words of a text with a blank between two of them."""
    return " ".join(words_of(text))


def read_list(
    name: str, sections: Collection[str], folder: Path = _FOLDER
) -> dict[str, frozenset[str]]:
    """The phrases of a file, by their sections. Raises WordListError and OSError."""
    file = folder / f"{name}.txt"
    found: dict[str, set[str]] = {section: set() for section in sections}
    section = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        begun = _SECTION.fullmatch(line.strip())
        phrase = "" if begun else phrase_of(line)
        if not line.strip() or line.startswith("#"):
            continue
        section = begun[1] if begun else section
        if section not in found or not (begun or phrase):
            told = f"a phrase, or one of the sections {', '.join(sorted(found))}"
            raise WordListError(f"{file.name}, line {number}, must be {told}.")
        if phrase:
            found[section].add(phrase)
    return {section: frozenset(phrases) for section, phrases in found.items()}
