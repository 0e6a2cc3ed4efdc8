"""The words of a text, and the lists of phrases that are told by their words alone.

The lists are files in `languages/`. Capital and small letters are the same.
"""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from pbm.mail.reading.charsets import fold_typography
from pbm.word_lists import read_sections

_FOLDER: Final = Path(__file__).with_name("languages")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


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
    """The phrases of a file, one on each line, by section. Raises WordListError and OSError."""
    found = read_sections(folder / f"{name}.txt", sections, lambda line: (phrase_of(line),))
    return {section: frozenset(phrases) for section, phrases in found.items()}
