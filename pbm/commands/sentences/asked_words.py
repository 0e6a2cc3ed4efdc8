"""The words by which `asked.py` knows whom a sentence is for (`languages/asked/`), by language."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from pbm.commands.sentences.clauses import FOLDER
from pbm.mail.reading.charsets import fold_typography
from pbm.word_lists import read_sections

_SHORTEST_STEM = 4  # letters, of those by which a language is known
_SHORTEST_LONG = 7  # letters of a word in which one may be wrong
_LONG_WORD = re.compile(r"[^\W\d_]{7,24}")
_WORD = re.compile(r"\*?[^\W_]+\*?|\+")
_PLAIN = str.maketrans("łøđı", "lodi")
_SECTIONS: Final = (
    "sole, ours, game, loose, how, manner, asks, opens, wants, faults, shows, acts, counts, "
    "take back, pause, resign, rival, me, tells, first, common, not, you, can you, nobody, "
    "serves, talk, plans, past"
).split(", ")
_CARD: Final = ("colours", "time", "show", "standings", "push", "move", "picture", "settings")

Lists = Mapping[str, re.Pattern[str]]


def plain_words(text: str) -> str:
    """Return the words of a text, without accents and in lower case."""
    plain = unicodedata.normalize("NFKD", fold_typography(text).casefold().translate(_PLAIN))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(_WORD.findall(plain))


def spelt(text: str) -> str:
    """Return a text in which long words of ours with a wrong letter are replaced."""
    return _LONG_WORD.sub(_spelt, text)


def spoken(said: str, around: str) -> list[Lists]:
    """Return the lists of the language of some words, or of several that it may be."""
    near, far = _languages_of(said), _languages_of(around)
    most = max(((count, far[name]) for name, count in near.items()), default=None)
    return [_LANGUAGES[name] for name, count in near.items() if (count, far[name]) == most]


@lru_cache(maxsize=8)
def _languages_of(said: str) -> Counter[str]:
    """Count the words of a text that each language has in its lists."""
    found = Counter[str]()
    for word in said.split():
        starts = (f"{word[:size]}*" for size in range(_SHORTEST_STEM, len(word) + 1))
        found.update(set[str]().union(*(_KNOWN.get(some, ()) for some in (word, *starts))))
    return found


def _spelt(found: re.Match[str]) -> str:
    word = plain_words(found[0])
    if _languages_of(word):
        return found[0]
    starts = (word[:size] for size in range(_SHORTEST_LONG, len(word) + 1))
    meant = (_LONG.get(some, "") for start in starts for some in _shortened(start))
    likely = [stem for stem in meant if stem[:2] == word[:2] and not stem.startswith(word)]
    return max(likely, key=len, default=found[0])


def _shortened(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word) + 1))


def _phrases(line: str) -> Iterator[str]:
    return map(plain_words, line.split(","))


def _pattern(phrases: Iterable[str]) -> str:
    """Return a pattern of a list; a star stands for any letters, a plus for at most four words."""
    some = "|".join(map(_as_pattern, sorted(phrases, key=len, reverse=True)))
    return rf"\b(?:{some or '(?!)'})\b"


def _as_pattern(phrase: str) -> str:
    pattern = phrase.replace("*", r"\w*").replace(" + ", r" (?:\w+ ){0,4}?")
    return re.sub(r"(?<=\b\w) (?=\w)|(?<=\w) (?=\w\b)", " ?", pattern)


def _read(path: Path) -> Lists:
    found = read_sections(path, _SECTIONS, _phrases)
    for word in " ".join(phrase for phrases in found.values() for phrase in phrases).split():
        _KNOWN.setdefault(word.lstrip("*"), set()).add(path.stem)
    stems = (phrase.strip("*") for name in ("sole", "ours", "game") for phrase in found[name])
    for stem in (stem for stem in stems if len(stem) >= _SHORTEST_LONG and stem.isalpha()):
        for some in _shortened(stem):
            _LONG[some] = max(_LONG.get(some, ""), stem, key=len)
    patterns = {section: _pattern(phrases) for section, phrases in found.items()}
    patterns["first"] = rf"\A(?:{patterns['first']} ?)+"
    return {section: re.compile(pattern) for section, pattern in patterns.items()}


_KNOWN: Final[dict[str, set[str]]] = {}  # the languages of each word; a star ends a stem
_LONG: Final[dict[str, str]] = {}  # long words without one of their letters, each with the word
_LANGUAGES: Final = {path.stem: _read(path) for path in sorted((FOLDER / "asked").glob("*.txt"))}
CARD: Final = {  # the words by which the lines of the status card are found, by help page
    page: re.compile(_pattern(phrases))
    for page, phrases in read_sections(FOLDER / "card.txt", _CARD, _phrases).items()
}
