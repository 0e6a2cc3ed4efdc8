"""The phrases of answers that say yes, by language (`languages/agreeing/`). See docs/replies.md."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

from pbm.commands.sentences.clauses import ANSWER_WORDS as WORDS
from pbm.commands.sentences.clauses import Clause, plain_letters, small
from pbm.mail.reading.signatures import CLOSINGS
from pbm.word_lists import read_sections, spelt_out

_FOLDER = Path(__file__).parents[1] / "languages" / "agreeing"
PLAY = "play"
KINDS = tuple(
    f"{PLAY}, draw, takeback, resign, move, address, delete, vacation, account, substitute".split(
        ", "
    )
)
_BESIDE = "beside "
_SECTIONS = (
    *"elided, common, yes, named, chat, people, even, verbs, past, articles".split(", "),
    *("prepositions", "how", "beside how", "begin", "months", "spoils"),
    *chain.from_iterable((kind, _BESIDE + kind) for kind in KINDS),
)
# Letters that nobody writes stand for what was asked, for a name, and for an unknown thing.
REPEATED, NAME, THING = "\ua66d", "\ua66e", "\ua66f"
_NEAR = 2  # words before a thing, one of which is an article or a preposition
_SHORTEST_PAST = 6  # letters of a word with an ending of the past
_SHORTEST_THING = 5  # letters of one that stands within phrases; "off" may turn them around
_SHORTEST_STEM, _SHORTEST_SLIP = 3, 6  # letters; a slip is a word with a wrong letter
_LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßéèàçñ"
_LINGERING = re.compile(r"(\w)(?:\1{2,}|\1$)|([aeiou])\2+")  # "yessss", "jaa", "ooh"
FIRST_PERSON = frozenset(("i", "ich", "ik", "je", "j", "io", "yo", "me", "mi"))
_OTHERS_DO = "".join(rf"(?<!\b{person} )" for person in sorted(FIRST_PERSON))
YES = WORDS["yes"] | WORDS["again"]
OPENS = WORDS["greeting"] | WORDS["signing"] | CLOSINGS
POLITE = WORDS["polite"] | OPENS | {NAME, REPEATED}
_ANYWHERE = YES | WORDS["gladly"] | POLITE
_ANYWHERE_WORDS = frozenset(word for phrase in _ANYWHERE for word in phrase.split())
TURNS = frozenset(
    word
    for name in ("not", "doubt", "no", "later", "turns")
    for phrase in WORDS[name]
    for word in phrase.split()
)


def _spellings(line: str) -> Iterator[str]:
    """Yield the phrases of a line, also without accents. In the lists @ is a name, # a number.

    "(a|the) game" stands for a phrase with each of the words.
    """
    line = small(line).replace("@", NAME).replace("#", REPEATED)
    for written in dict.fromkeys((line, plain_letters(line))):
        for phrase in written.split(","):
            yield from spelt_out(phrase)


class Language:
    """The phrases of one language, by section. "hopeless*" stands for words that begin so."""

    def __init__(self, path: Path) -> None:
        read = read_sections(path, _SECTIONS, _spellings)
        self._months = [phrase.partition(" ")[::2] for phrase in read.pop("months")]
        self._elided = read.pop("elided")
        self.spoils = read.pop("spoils")
        found = {name: frozenset(phrases) for name, phrases in read.items()}
        self.words = frozenset(
            word for phrases in found.values() for phrase in phrases for word in phrase.split()
        )
        self._stems = {word[:-1]: word for word in self.words if word.endswith("*")}
        stemmed = [(word, self._stem(word)) for word in self.words]
        self.sections = {
            name: phrases.union(word for word, stem in stemmed if stem in phrases)
            for name, phrases in found.items()
        }
        self.people = self.sections["people"]
        # "It looks even" may answer the opponent's words beside an offer.
        is_level = self.sections["even"].intersection
        self.stating = frozenset(p for p in self.sections["beside draw"] if is_level(p.split()))
        self.accepting = self.sections["draw"] | WORDS["accepting"]
        self._leads = self.sections["articles"] | self.sections["prepositions"]
        self._past, self._verbs = self.sections["past"], self.sections["verbs"]
        phrases = frozenset[str]().union(*self.sections.values())
        within = (word for word in self.words - phrases if len(word) >= _SHORTEST_THING)
        self._things = self.sections["beside vacation"].union(within)
        ends = "|".join(re.escape(word[1:]) for word in self._past if word[0] == "*")
        self._ends_past = re.compile(f"(?:{ends or '(?!)'})$")
        told = (self.people, self.stating, self._verbs, self._past, self._leads, {THING})
        self.chat = self.sections["chat"].union(*told)
        self.clear = YES | self.sections["yes"]

    @lru_cache(maxsize=64)  # noqa: B019 - the languages live as long as the process
    def again(self, kinds: tuple[str, ...]) -> frozenset[str]:
        """Return the phrases that say again what was asked."""
        return frozenset[str]().union(*(self.sections[kind] for kind in kinds)) - self.clear

    @lru_cache(maxsize=64)  # noqa: B019 - the languages live as long as the process
    def objects(self, kinds: tuple[str, ...]) -> frozenset[str]:
        """Return the words for what is asked about, without the act: "account"."""
        told = frozenset[str]().union(*(self.sections[_BESIDE + kind] for kind in kinds))
        words = (word for phrase in self.again(kinds) for word in phrase.split())
        return told.intersection(words) - self.sections["common"] - self.again(kinds)

    @lru_cache(maxsize=64)  # noqa: B019 - the languages live as long as the process
    def saying(self, kinds: tuple[str, ...], *, grave: bool) -> frozenset[str]:
        """Return the phrases that say yes to a question about `kinds` of things."""
        told = [self.sections["yes"], *(self.sections[kind] for kind in kinds)]
        wishes = WORDS["to play"] if PLAY in kinds else ()
        return YES.union({REPEATED}, () if grave else WORDS["gladly"], wishes, *told)

    @lru_cache(maxsize=64)  # noqa: B019 - the languages live as long as the process
    def beside(self, kinds: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the phrases that may stand beside a yes, and those among them that are chat."""
        told = [self.sections[_BESIDE + kind] - self.stating for kind in kinds]
        agreeing = _ANYWHERE.union(self.sections["common"], self.saying(kinds, grave=False), *told)
        return agreeing | self.chat, self.chat - agreeing

    @lru_cache(maxsize=64)  # noqa: B019 - the languages live as long as the process
    def merely(self, kinds: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the phrases of a yes that can interest nobody else, and those only beside one."""
        alone = self.saying(kinds, grave=False).union(POLITE, kinds)
        return alone | self.sections["common"], self.sections["common"] - alone

    def knows(self, clause: Clause, more: frozenset[str]) -> bool:
        words = self.plain(clause, more).words
        return all(self._is_known(word) or word in more for word in words)

    def months(self, numbers: Collection[str]) -> frozenset[str]:
        found = (name for number, name in self._months if number in numbers)
        return frozenset(found if numbers else ())

    def plain(self, clause: Clause, more: frozenset[str]) -> Clause:
        """Return a clause with the words of the lists that unknown words stand for.

        If one word stands for none, a wrong letter in this one is mended. Without another word of
        this language, it may be a word of another one.
        """
        bare = chain.from_iterable(map(self._without_elided, clause.words))
        words = [self._listed(word, more) for word in bare]
        unknown = [at for at, word in enumerate(words) if not self._is_known(word)]
        is_slip = len(unknown) == 1 and words[unknown[0]] not in more | TURNS
        for at in unknown if is_slip and not self.words.isdisjoint(words) else ():
            words[at] = next(filter(self._is_known, _slips(words[at])), words[at])
        return replace(clause, words=tuple(words))

    def with_things(self, clause: Clause) -> Clause:
        """Return a clause in which unknown words behind an article are things: "the kettle".

        A sentence about the past, or with an article or a name first, tells of something, and any
        such word may be one. A thing denies nothing, unless it is among those that turn a yes
        around ("a joke"). Without a verb it stays as it is: "The tea." may be what is given up.
        """
        words = [*clause.words]
        long = [word for word in words if len(word) >= _SHORTEST_PAST]
        is_past = not self._past.isdisjoint(words) or any(map(self._ends_past.search, long))
        if not is_past and self._verbs.isdisjoint(words):
            return clause
        tells = is_past or words[0] == NAME or words[0] in self.sections["articles"]
        for at, word in enumerate(words):
            near = tells or {THING, *self._leads}.intersection(words[max(0, at - _NEAR) : at])
            is_new = word in self._things or not self._is_known(word)
            if near and is_new and word not in TURNS and re.sub("['-]", "", word).isalpha():
                words[at] = THING
        return replace(clause, words=tuple(words))

    def _without_elided(self, word: str) -> tuple[str, ...]:
        """Return an unknown word without what is elided before it: "l'ami"."""
        before = next((each for each in self._elided if word.startswith(each)), "")
        return (word.removeprefix(before),) if before and word not in self.words else (word,)

    def _listed(self, word: str, more: frozenset[str]) -> str:
        if self._is_known(word) or word in TURNS or word in more:
            return word
        plain = plain_letters(word)
        run = (each + word[len(each) - 1 :] for each in self._elided if word.startswith(each[:-1]))
        meant = filter(self._is_known, (plain, _LINGERING.sub(r"\1\2", plain), *run))  # or "cest"
        return self._stem(plain) or next(meant, word)

    def _is_known(self, word: str) -> bool:
        return word in self.words or word in _ANYWHERE_WORDS

    def _stem(self, word: str) -> str:
        """Return the longest stem in the lists, with its star, with which a word begins."""
        ends = range(len(word), _SHORTEST_STEM - 1, -1)
        return next((self._stems[word[:end]] for end in ends if word[:end] in self._stems), "")


def pattern_of(phrases: Iterable[str]) -> str:
    """Return a pattern; "…" is up to five words, $ the end, and ^ says that no "I" is before it."""
    return rf"(?<!\S){_any_of(map(_pieces, phrases))}(?!\S)"


def _pieces(phrase: str) -> list[str]:
    some = re.escape(phrase).replace(r"\ …\ ", r" (?:\S+ ){0,5}").replace(r"\ \$", "$")
    return re.split(r"(?=\\ )", some.replace(r"\^", _OTHERS_DO))


def _any_of(phrases: Iterable[list[str]]) -> str:
    """Return a pattern in which common beginnings stand once, so that it compiles sooner."""
    rests = dict[str, list[list[str]]]()
    ends = False
    for phrase in phrases:
        ends |= not phrase
        for first in phrase[:1]:
            rests.setdefault(first, []).append(phrase[1:])
    some = "|".join(first + _any_of(rest) for first, rest in rests.items())
    return f"(?:{some})" + "?" * ends if some else ""


def _slips(word: str) -> Iterator[str]:
    """Yield the words that one letter more or less, or two swapped inside, make of `word`."""
    for at in range(1, len(word) - 1 if len(word) >= _SHORTEST_SLIP and word.isalpha() else 0):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        yield from (word[:at] + letter + word[at:] for letter in _LETTERS)


LANGUAGES = tuple(map(Language, sorted(_FOLDER.glob("*.txt"))))
