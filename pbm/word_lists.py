"""Reads lists of words and phrases in many languages from text files in UTF-8.

A line such as `== no ==` begins a section. A line that begins with # is a comment. Empty lines are
skipped. Any other line holds phrases.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import product
from pathlib import Path


class WordListError(ValueError):
    """The error that a line of a list cannot be parsed. ``str()`` names the file and the line."""


def read_sections(
    path: Path, names: Collection[str], phrases: Callable[[str], Iterable[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the phrases of each section in order, without duplicates.

    `path` is a file or a folder of `*.txt` files. Raises WordListError and OSError.
    """
    found: dict[str, dict[str, None]] = {name: {} for name in names}
    for file in sorted(path.glob("*.txt")) if path.is_dir() else [path]:
        section = ""
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            is_heading = line.startswith("==")
            section = line.strip("= ") if is_heading else section
            if section not in found:
                told = f"is in no section; they are {', '.join(found)}"
                raise WordListError(f"{file.name}, line {number}, {told}.")
            read = () if is_heading else [phrase for phrase in phrases(line) if phrase]
            if not (is_heading or read):
                raise WordListError(f"{file.name}, line {number}, holds no phrase.")
            found[section].update(dict.fromkeys(read))
    return {name: tuple(some) for name, some in found.items()}


def spelt_out(phrase: str) -> Iterator[str]:
    """Yield the phrases for which one stands: "(a|the) game" for one with each of the words.

    >>> list(spelt_out("see (|the) game"))
    ['see game', 'see the game']
    """
    if "(" not in phrase:  # as nearly all
        yield phrase.strip()
        return
    parts = [part.split("|") for part in re.split(r"[()]", phrase)]
    yield from (" ".join("".join(chosen).split()) for chosen in product(*parts))


def either(phrases: Iterable[str]) -> str:
    """Return a regex for any of the phrases, the longest first."""
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
