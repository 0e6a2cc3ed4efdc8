"""Word lists of answers in many languages (`languages/yes-no.txt`), and the clauses of a text."""

import re
import unicodedata
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pbm.mail.reading.charsets import fold_typography
from pbm.word_lists import read_sections, spelt_out

FOLDER = Path(__file__).parents[1] / "languages"
LONGEST = 200  # characters read of a text
_MOST_WORDS = 8  # of a phrase
_LONGEST_ANSWER = 12  # words at most in an answer
_CLAUSE = re.compile(r"(?:[^.,;:!?¡¿()…。、，！？؟،\n\u2013\u2014-]|(?<=\w)-(?=\w))+")
_SAY_YES, _SAY_NO = "👍👌✅✔☑🆗💯", "👎❌🙅"
_SYMBOLS = "\u2600-\u27bf\U0001f000-\U0001faff\u200d\ufe0f"
_WORD = re.compile(rf"[{_SAY_YES}{_SAY_NO}]|[^\s\"“”„«»*_<>\[\]`{_SYMBOLS}]+")
_SMILEY = re.compile(r"(?<!\S)[:;=]['-]?[)(DPp](?!\S)")
_OK = re.compile(r"\bo\. ?k\b", re.ASCII | re.IGNORECASE)
_SECTIONS = (
    "yes, gladly, to play, no, not now, later, removal, no alone, no undivided, harmless, "
    "unsubscribe, stop, stop alone, stop undivided, not, doubt, turns, joins, accepting, again, "
    "received, polite, thanks, before a no, greeting, signing, given names, name follows, everyday"
).split(", ")
_PLAIN_LETTERS = str.maketrans({"ł": "l", "ß": "ss", "ø": "o", "æ": "ae", "đ": "d", "ı": "i"})
_PLAIN_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def small(text: str) -> str:
    """Return a text in lower case, with single blanks.

    Letters that only look like ASCII letters, such as the Kelvin sign, stay as they are.

    >>> small("SÍ  Claro \u212a")
    'sí claro \u212a'
    """
    return " ".join(map(_small_word, text.split()))


def _small_word(word: str) -> str:
    if word.isascii():
        return word.lower()
    lower = unicodedata.normalize("NFC", word).lower()
    return word if lower.isascii() and not word.isascii() else lower


def plain_letters(text: str) -> str:
    """Return a text without accents: "où ça" is "ou ca"."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFD", text.translate(_PLAIN_LETTERS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


# The phrases of each section, in lower case.
ANSWER_WORDS = {
    section: frozenset(phrases)
    for section, phrases in read_sections(
        FOLDER / "yes-no.txt", _SECTIONS, lambda line: map(small, line.split(","))
    ).items()
}
# Phrases that begin a wish for no more mail.
NO_MAIL = ANSWER_WORDS["unsubscribe"] | ANSWER_WORDS["stop"]


@dataclass(frozen=True)
class Clause:
    words: tuple[str, ...]  # in lower case
    mark: str  # the punctuation behind it
    end: int  # its index in the text

    def parts(
        self,
        phrases: Container[str],
        *,
        preferred: Container[str] = (),
        most: int = _LONGEST_ANSWER,
    ) -> tuple[str, ...] | None:
        """Return the phrases that together make up the clause; None if it has other words.

        Of several ways, one with a phrase that is `preferred` is found. `most` is how many words
        the clause may have.
        """
        words = self.words
        if len(words) > most:
            return None
        found: dict[int, tuple[str, ...]] = {len(words): ()}  # by start index
        for start in reversed(range(len(words))):
            for size in range(1, _MOST_WORDS + 1):
                phrase = " ".join(words[start : start + size])
                if start + size not in found or phrase not in phrases:
                    continue
                parts = (phrase, *found[start + size])
                if not any(part in preferred for part in found.get(start, ())) or any(
                    part in preferred for part in parts
                ):
                    found[start] = parts
        return found.get(0)


def begins(words: Sequence[str], phrases: Collection[str]) -> bool:
    sizes = range(1, min(len(words), _MOST_WORDS) + 1)
    return any(" ".join(words[:size]) in phrases for size in sizes)


def clauses(text: str, longest: int = LONGEST) -> Iterator[Clause]:
    """Yield the clauses that have words, in the first `longest` characters of a text."""
    text = _OK.sub(lambda found: "ok".ljust(len(found[0])), fold_typography(text[:longest]))
    text = _SMILEY.sub(lambda found: " " * len(found[0]), text)
    for found in _CLAUSE.finditer(text):
        words = tuple(small(word) for word in _WORD.findall(found[0]))
        if words:
            yield Clause(words, text[found.end() : found.end() + 1], found.end())


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation.

    >>> words_of("Can't we call it a draw?")
    ["can't", 'we', 'call', 'it', 'a', 'draw']
    """
    return _PLAIN_WORD.findall(fold_typography(text).casefold())


def has_phrase(words: Iterable[str], phrases: Iterable[str]) -> bool:
    text = f" {' '.join(words)} "
    return any(f" {phrase} " in text for phrase in phrases)


def phrase_of(text: str) -> str:
    return " ".join(words_of(text))


def read_list(name: str, sections: Collection[str]) -> dict[str, frozenset[str]]:
    """Return the phrases in a file, by section. Raises WordListError and OSError."""
    found = read_sections(
        FOLDER / f"{name}.txt", sections, lambda line: map(phrase_of, spelt_out(line))
    )
    return {section: frozenset(phrases) for section, phrases in found.items()}


# By what words a line is a sentence for the other players.
SENTENCE_WORDS = read_list("sentences", ("to you", "words", "ours", "beginnings", "whole"))
