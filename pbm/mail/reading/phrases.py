"""The words by which mail programs mark what they add to a mail, in many languages.

They are data: the files in `languages/`, which docs/replies.md describes. They are read once, when
this module is imported.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from pbm.word_lists import read_sections

_FOLDER: Final = Path(__file__).with_name("languages")
_NEXT_WORD: Final = "…"  # after a blank, at the end of a phrase: another word follows


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


def read_phrases(folder: Path) -> Phrases:
    """The phrases of all files in the folder. Raises WordListError and OSError."""
    sections = {field.name.replace("_", " "): field.name for field in fields(Phrases)}
    found: dict[str, dict[str, None]] = {name: {} for name in sections.values()}
    for file in sorted(folder.glob("*.txt")):
        for section, phrases in read_sections(file, sections, _phrases).items():
            found[sections[section]].update(dict.fromkeys(phrases))
    return Phrases(**{name: tuple(phrases) for name, phrases in found.items()})


def _phrases(line: str) -> tuple[str, ...]:
    return (line.casefold().removesuffix(_NEXT_WORD),)


PHRASES: Final = read_phrases(_FOLDER)
