"""The words by which mail programs mark what they add to a mail, in many languages.

They are data: the files in `languages/`, which docs/replies.md describes. They are read once, when
this module is imported.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).with_name("languages")
_NEXT_WORD: Final = "…"  # after a blank, at the end of a phrase: another word follows


class PhraseError(ValueError):
    """A line of a language file cannot be read; ``str()`` names the file and the line."""


@dataclass(frozen=True)
class Phrases:
    """All phrases in the form of `str.casefold`; a field for each section of the files."""

    wrote: tuple[str, ...] = ()
    wrote_inside: tuple[str, ...] = ()
    attribution_start: tuple[str, ...] = ()
    weekday: tuple[str, ...] = ()
    field_from: tuple[str, ...] = ()
    field_sent: tuple[str, ...] = ()
    field_to: tuple[str, ...] = ()
    field_other: tuple[str, ...] = ()
    field_subject: tuple[str, ...] = ()
    original: tuple[str, ...] = ()
    forwarded: tuple[str, ...] = ()
    forward_sentence: tuple[str, ...] = ()
    footer_start: tuple[str, ...] = ()
    footer_end: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    greeting: tuple[str, ...] = ()


_SECTIONS: Final = {
    f"== {field.name.replace('_', ' ')} ==": field.name for field in fields(Phrases)
}


def read_phrases(folder: Path) -> Phrases:
    """The phrases of all files in the folder. Raises PhraseError and OSError."""
    found: dict[str, dict[str, None]] = {name: {} for name in _SECTIONS.values()}
    for file in sorted(folder.glob("*.txt")):
        for section, phrase in _read(file):
            found[section][phrase] = None
    return Phrases(**{name: tuple(phrases) for name, phrases in found.items()})


def _read(file: Path) -> Iterator[tuple[str, str]]:
    """Each phrase of a file, with the name of its section before it."""
    section = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("=="):
            section = _SECTIONS.get(line, "")
        if not section:
            raise PhraseError(
                f"{file.name}, line {number}, is in no section; they are {', '.join(_SECTIONS)}."
            )
        if line not in _SECTIONS:
            yield section, line.casefold().removesuffix(_NEXT_WORD)


PHRASES: Final = read_phrases(_FOLDER)
