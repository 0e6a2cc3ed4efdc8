"""A line of everyday words, divided into clauses."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pbm.commands.answer_words import small
from pbm.mail.reading.charsets import fold_typography

LONGEST = 200  # characters of a text that are looked at
_MOST_WORDS = 6  # of a phrase
_LONGEST_ANSWER = 12  # words of a clause that says nothing else
_CLAUSE = re.compile(r"(?:[^.,;:!?¡¿()…。、，！？؟،\n\u2013\u2014-]|(?<=\w)-(?=\w))+")
_SAY_YES, _SAY_NO = "👍👌✅✔☑🆗💯", "👎❌🙅"
_SYMBOLS = "\u2600-\u27bf\U0001f000-\U0001faff\u200d\ufe0f"
_WORD = re.compile(rf"[{_SAY_YES}{_SAY_NO}]|[^\s\"“”„«»*_<>\[\]`{_SYMBOLS}]+")
_SMILEY = re.compile(r"(?<!\S)[:;=]['-]?[)(DPp](?!\S)")
_OK = re.compile(r"\bo\. ?k\b", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Clause:
    """Its words in small letters, the mark behind it, and where that stands in the text."""

    words: tuple[str, ...]
    mark: str
    end: int

    def parts(self, phrases: Collection[str]) -> tuple[str, ...] | None:
        """The phrases that it is made of, the first as long as can be; None for other words."""
        words = self.words
        if len(words) > _LONGEST_ANSWER:
            return None
        found: dict[int, tuple[str, ...]] = {len(words): ()}  # by where they begin
        for start in reversed(range(len(words))):
            for size in range(1, _MOST_WORDS + 1):
                phrase = " ".join(words[start : start + size])
                if start + size in found and phrase in phrases:
                    found[start] = (phrase, *found[start + size])
        return found.get(0)


def begins(words: Sequence[str], phrases: Collection[str]) -> bool:
    """Whether the first of the words are one of these phrases."""
    sizes = range(1, min(len(words), _MOST_WORDS) + 1)
    return any(" ".join(words[:size]) in phrases for size in sizes)


def clauses(text: str) -> Iterator[Clause]:
    """The clauses at the beginning of a text, none without words."""
    text = _SMILEY.sub(_blanks, _OK.sub(_ok, fold_typography(text[:LONGEST])))
    for found in _CLAUSE.finditer(text):
        words = tuple(small(word) for word in _WORD.findall(found[0]))
        if words:
            yield Clause(words, text[found.end() : found.end() + 1], found.end())


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _ok(found: re.Match[str]) -> str:
    return "ok".ljust(len(found[0]))
