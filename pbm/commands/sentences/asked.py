"""Tells whether words in answer to a board ask something that only the server knows or does.

`languages/asked/english.txt` says by what words that is known.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property, lru_cache
from pathlib import Path

from pbm.commands.sentences.clauses import FOLDER, plain_letters
from pbm.mail.reading.charsets import fold_typography
from pbm.word_lists import read_sections

LONGEST = 400  # characters; a longer text is talk
_MOSTSENTENCES = 8
_WRAPPED = 50  # characters; a shorter line ends its sentence
_FEW_WORDS = 2  # of a request without a verb, such as "bigger picture"
_MOST_BARE = 8  # words without a verb
_RIVAL = "opponent"
_OF_PIECES = "colours"
SENTENCE = re.compile(r"[^.!?…;。？！\n]+[.!?…;。？！]*")
_CLAUSE = re.compile(r"[,:()\u2013\u2014]|\s-\s")
_ABBREVIATED = re.compile(r"\b(\w)\.(?=\w\b)")  # "s.v.p."
_SMILEY = re.compile(r"[:;=]-?[)DP(]|[\u2600-\u27bf\U0001f300-\U0001faff]")
_TAG = re.compile(r",\s*¿?[\w']{1,8}(?: \w{1,5})?\s*\?\s*$")  # "isn't it good, eh?"
_MOVE = re.compile(r"\b[a-i]\d [a-i]\d\b")
_SHORTEST_STEM = 4  # letters, of those by which a language is known
_SHORTEST_LONG = 7  # letters of a word in which one may be wrong
_LONG_WORD = re.compile(r"[^\W\d_]{7,24}")
_WORD = re.compile(r"\*?[^\W_]+\*?|\+")
_SECTIONS = (
    "sole, ours, game, loose, how, manner, asks, opens, wants, faults, shows, acts, counts, "
    "take back, pause, resign, rival, me, tells, first, common, not, you, can you, nobody, "
    "serves, talk, plans, past, to substitute, takes over, watch, watched, news, onlookers, sees, "
    "no more, goes on, outcome"
).split(", ")
_CARD = ("colours", "time", "show", "standings", "push", "move", "picture", "settings")

Lists = Mapping[str, re.Pattern[str]]


class Aim(Enum):
    """Whom a player's words are for."""

    OTHERS = auto()
    EITHER = auto()  # a question that the other players may answer
    SERVER = auto()
    TAKE_BACK = auto()  # the server, which is to take back the latest move
    PAUSE = auto()
    RESIGN = auto()


def aim_of(lines: Sequence[str], rival: str = "") -> Aim:
    """Return whom words in answer to a board are for; `rival` is the only opponent's handle."""
    text = _ABBREVIATED.sub(r"\1", unwrapped(lines))
    if len(text) > LONGEST:
        return Aim.OTHERS
    text = spelt(text)
    if rival:  # "Bob, is it late?" speaks to him
        text = re.sub(
            rf"(?<!, )\b{re.escape(rival)}\w{{0,3}}\b(?!,)", _RIVAL, text, flags=re.IGNORECASE
        )
    said = plain_words(text)
    sentences = [found[0] for found in SENTENCE.finditer(text) if plain_words(found[0])]
    if any(_is_plan(lists, said, text) for lists in spoken(said, said)):
        return Aim.SERVER
    if len(sentences) > _MOSTSENTENCES:
        return Aim.OTHERS
    aims = [_aim(sentence, said) for sentence in sentences]
    if not aims:
        return Aim.SERVER if "?" in text else Aim.OTHERS
    ours = [aim for aim in aims if aim not in (None, Aim.OTHERS, Aim.EITHER)]
    if ours and Aim.OTHERS not in aims:
        return max(ours, key=lambda aim: aim.value)
    return Aim.EITHER if ours or Aim.EITHER in aims or "?" in text else Aim.OTHERS


def card_lines(lines: Sequence[str]) -> list[str]:
    """Return which lines of the status card answer a question, by their help pages.

    The line about the pieces is the last, as every question about the game may name some.
    """
    said = plain_words(unwrapped(lines)[:LONGEST])
    found = [page for page, words in CARD.items() if words.search(said)]
    return sorted(found, key=_OF_PIECES.__eq__)


def tells_own(text: str) -> bool:
    """Return whether words speak of the writer, and not to anybody."""
    said = plain_words(text[:LONGEST])
    return any(it["me"].search(said) and not it["you"].search(said) for it in spoken(said, said))


def _aim(sentence: str, around: str) -> Aim | None:
    """Return whom a sentence is for; None if it neither asks nor speaks to anybody."""
    aims = [Sentence(sentence, lists).aim for lists in spoken(plain_words(sentence), around)]
    return max(aims, key=lambda aim: aim.value if aim else 0, default=None)


def _is_plan(lists: Lists, said: str, text: str) -> bool:
    """Return whether words tell moves to be made: "if he plays a1-b2, answer c3-c4"."""
    moves = len(_MOVE.findall(said))
    planned = (moves > 1 and "?" not in text) or (moves and lists["plans"].search(said))
    return bool(planned) and not lists["past"].search(said)


def unwrapped(lines: Sequence[str]) -> str:
    """Join lines that a mail program has wrapped."""
    text = ""
    for line in lines:
        text += line.strip() + (" " if len(line) >= _WRAPPED else "\n")
    return text.strip()


class Sentence:
    """A sentence, as it is read with the lists of one language."""

    def __init__(self, text: str, lists: Lists) -> None:
        self.text, self.lists, self.said = text, lists, plain_words(text)
        self.sections = {name for name, words in lists.items() if words.search(self.said)}
        clauses = map(plain_words, _CLAUSE.split(text))
        # Each clause, and the same without what mostly comes first, such as "please".
        self.starts = [each for one in clauses for each in (one, lists["first"].sub("", one))]
        self.ours = self.has("sole", "ours")
        self.about = self.ours or self.has("game", "loose") or bool(_MOVE.search(self.said))
        manner = self.begins("manner") and self.about and not self.has("past", "not", "talk")
        self.asks_how = self.has("how") or manner
        self.undoes = self.has("take back", "pause")
        self.is_question = not {"?", "？", "¿"}.isdisjoint(text)
        # "Which of them are mine, then?" has none.
        tag = None if self.begins("asks") else _TAG.search(text)
        self.has_tag = tag is not None and not lists["wants"].search(plain_words(tag[0]))
        self.talks = self.has("talk") or self.has_tag
        asks = self.begins("asks", "opens") or (self.asks_how and self.about)
        asks = asks or (self.has("asks") and self.ours and not self.talks)
        self.asks = self.is_question or (asks and "!" not in text)
        self.orders = any(map(self._orders, self.starts))
        self.chats = self.talks and not self._asks_beside_talk()

    @property
    def aim(self) -> Aim | None:
        serves = self.has("serves") and (self.has("sole") or (self.ours and self.has("faults")))
        if self.says_you and not serves:
            return Aim.OTHERS
        if self._resigns():
            return Aim.RESIGN
        if not (self._asks_us() or self._wants_of_us()):
            return Aim.OTHERS if self.chats else Aim.EITHER if self.asks else None
        if not self.undoes or self.asks_how:
            return Aim.SERVER
        return Aim.TAKE_BACK if self.has("take back") else Aim.PAUSE

    def has(self, *sections: str) -> bool:
        return not self.sections.isdisjoint(sections)

    def begins(self, *sections: str) -> bool:
        return any(self.lists[name].match(start) for start in self.starts[:2] for name in sections)

    def _orders(self, start: str) -> bool:
        """Return whether a clause orders something of ours."""
        ours = ("sole", "ours", "take back", "pause")
        orders = any(self.lists[name].match(start) for name in ("shows", "acts"))
        return orders and any(self.lists[name].search(start) for name in ours)

    def _asks_beside_talk(self) -> bool:
        """Return whether something is asked of us, though there are words of talk."""
        if (self.is_question and not self.has_tag) or self.asks_how or self.orders:
            return True
        sole = self.has("sole")
        return (self.has("wants") and (sole or self.undoes)) or (self.asks and sole)

    @cached_property
    def says_you(self) -> bool:
        addressed = self.lists["can you"].sub("", self.lists["nobody"].sub("", self.said))
        return bool(self.lists["you"].search(addressed))

    def _resigns(self) -> bool:
        if self.is_question or self.talks or not self.has("resign"):
            return False
        said = [start for start in self.starts[::2] if self.lists["resign"].search(start)]
        surely = self.about or self.has("wants") or any(map(self._says_no_more, said))
        return surely and any(not self.lists["not"].search(start) for start in said)

    def _says_no_more(self, start: str) -> bool:
        """Whether a clause has, besides a phrase of "resign", only such words as "I" and "this"."""
        for name in ("resign", "me", "common", "first"):
            start = self.lists[name].sub("", start).strip()
        return not start

    def _does(self) -> bool:
        return self.undoes or (self.has("shows", "acts") and (self.about or self.asks_how))

    def _asks_us(self) -> bool:
        if self.chats:
            return False
        if self.has("can you"):
            return self._does() or self.ours or (self.asks_how and self.about)
        few = len(self.said.split()) <= _FEW_WORDS
        of_play = self.has("loose") and (few or self.has("me", "rival"))
        is_played = self.has("game") or (of_play and (self.is_question or "," not in self.text))
        talks = self.talks or _SMILEY.search(self.text)
        asks_ours = self.undoes or self.ours or self.asks_how or (is_played and not talks)
        return self.asks and asks_ours

    def _wants_of_us(self) -> bool:
        if self.chats:
            return False
        wants = self.has("wants") and not self.asks
        return (
            (wants and (self._does() or self.ours or self.has("game")))
            or self.orders
            or (self.about and any(map(self.lists["shows"].match, self.starts)))
            or (self.has("faults") and (self.about or self.undoes))
            or self._is_bare()
            or (self.has("sole") and not self.has("past"))
        )

    def _is_bare(self) -> bool:
        """Return whether it names a matter of ours, and has no verb: "score and losses"."""
        size, shouts = len(self.said.split()), "!" in self.text
        if size > _MOST_BARE or self.has("tells"):
            return False
        counted = self.has("game") and self.has("counts")
        mine = size <= _FEW_WORDS + 1 and self.has("me") and self.has("game")
        named = self.undoes or (self.ours and not shouts) or counted
        return (named and not self.has("past")) or (mine and not shouts)


def plain_words(text: str) -> str:
    """Return the words of a text, without accents and in lower case."""
    full = unicodedata.normalize("NFKC", fold_typography(text).casefold())
    return " ".join(_WORD.findall(plain_letters(full)))


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


def patterns(path: Path, sections: Collection[str]) -> Lists:
    """Return a pattern of the phrases of each section of a file."""
    found = read_sections(path, sections, _phrases)
    return {section: re.compile(_pattern(phrases)) for section, phrases in found.items()}


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


_KNOWN: dict[str, set[str]] = {}  # the languages of each word; a star ends a stem
_LONG: dict[str, str] = {}  # long words without one of their letters, each with the word
_LANGUAGES = {path.stem: _read(path) for path in sorted((FOLDER / "asked").glob("*.txt"))}
# The words by which the lines of the status card are found, by help page.
CARD = patterns(FOLDER / "card.txt", _CARD)
