"""Parses a yes: each clause of an answer must agree with what was asked. See docs/replies.md.

A clause agrees if it is made of phrases of one language that belong to every yes, or to what was
asked. Any other word, and the answer is no yes. At least one clause has to say yes, or to repeat
what was asked.
"""

import re
from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, dropwhile, islice, pairwise, product
from pathlib import Path
from typing import Final

from pbm.commands.sentences.clauses import (
    ANSWER_WORDS,
    Clause,
    clauses,
    has_phrase,
    plain_letters,
    small,
)
from pbm.mail.reading.charsets import fold_typography
from pbm.mail.reading.signatures import CLOSINGS
from pbm.word_lists import read_sections

PLAY: Final = "play"
_FOLDER: Final = Path(__file__).parents[1] / "languages" / "agreeing"
_WORDS: Final = ANSWER_WORDS
KINDS: Final = tuple(
    f"{PLAY}, draw, takeback, resign, move, address, delete, vacation, account".split(", ")
)
_BESIDE: Final = "beside "
_SECTIONS: Final = (
    *("elided", "common", "yes", "how", "beside how", "begin", "months", "spoils"),
    *chain.from_iterable((kind, _BESIDE + kind) for kind in KINDS),
)
# What a question is about, by a word of the commands that it asks about.
_KIND_OF: Final = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(("challenge", "rematch", "seek", "join"), PLAY),
    **dict.fromkeys(("plan", "submit", "confirm"), "move"),
    **dict.fromkeys(("change", "set", "block", "newkey", "add", "send"), "account"),
}
_CONTRARY: Final = frozenset(("reject", "decline", "unseek", "drop", "back", "resume"))
_GRAVE: Final = frozenset(("delete", "newkey", "add", "change"))  # commands
LONGEST_YES, _MOST_LINES, _MOST_WORDS = 600, 14, 40  # of an answer; the words are of a clause
_WRAPPED = 50  # characters; a line that is longer may go on in the next one
_MOST_NAMES = 3  # words of a name
_REMARK = 3  # words of a remark at least
_ALIKE = 3  # letters by which a name is known
# Letters that nobody writes stand for what was asked, and for a name.
_REPEATED, _NAME = "\ua66d", "\ua66e"
_NAME_WORD = re.compile(r"[^\W\d_][\w.'’-]*")
_NUMBER = re.compile(r"0*(\d{1,4})(?:st|nd|rd|th|er|te|ten|º|ª|o|a|go|de|e)?", re.ASCII)
_OF_A_NAME = re.compile(r"^(?:de?ll|all|d|l)['’]|['’]s?$|(?<=...)s$")  # "d'Alice", "Alices"
_LONGEST_MARKED, _MOST_MARKED = 64, 20  # characters of such a word, and words
_MARKS_OF_ITS_OWN = re.compile(r"[\w.+-]*[^\W_][,@:-][\w,.:@-]*\w")  # moves, addresses, days
_ASKED_LOUDLY = re.compile(r"[!.]{1,9}(?=[?？؟])")  # "Yes!?"
_DATE_MONTH = re.compile(r"\b20\d\d-(\d\d)-\d\d\b", re.ASCII)
_ASKS = frozenset("?？؟")
_DOUBTFUL = frozenset("🙄🤔🤷😒😏🙃🤨👎❌🙅🛑✋")
_YES: Final = _WORDS["yes"] | _WORDS["again"]
_POLITE: Final = _WORDS["polite"] | _WORDS["greeting"] | {_NAME, _REPEATED} | CLOSINGS
_BEFORE_NAMES: Final = _WORDS["greeting"] | CLOSINGS | (_WORDS["thanks"] & _WORDS["polite"])
_ANYWHERE: Final = _YES | _WORDS["gladly"] | _POLITE
_ANYWHERE_WORDS: Final = frozenset(word for phrase in _ANYWHERE for word in phrase.split())
_TURNS: Final = frozenset(
    word
    for name in ("not", "doubt", "no", "later", "turns")
    for phrase in _WORDS[name]
    for word in phrase.split()
)
_RECEIVED: Final = _WORDS["received"]  # a yes, and what a help desk writes
_WHY_NOT: Final = frozenset(phrase for phrase in _WORDS["gladly"] if "not" in phrase.split())


@dataclass(frozen=True)
class Asked:
    """What a yes-or-no question asks."""

    kinds: tuple[str, ...] = ()  # sections of the word lists
    lines: tuple[str, ...] = ()  # commands that an answer may repeat
    names: Collection[str] = ()  # in lower case, of everybody who may be addressed
    grave: bool = False  # only the clearest yes counts, or what was asked itself
    to_stranger: bool = False  # who may just acknowledge the mail, or ask how to begin

    @classmethod
    def about(cls, lines: Sequence[str], names: Collection[str], *, grave: bool = False) -> "Asked":
        """Return a question whether to run the commands in `lines`."""
        words = [small(line).split() for line in lines]
        kinds = (_KIND_OF.get(word) for line in words if not _CONTRARY & {*line} for word in line)
        grave = grave or any(not _GRAVE.isdisjoint(line[:1]) for line in words)
        return cls(tuple(dict.fromkeys(filter(None, kinds))), tuple(lines), names, grave)

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The words and numbers of the commands."""
        words = re.findall(r"[^\W_]+", small(" ".join(self.lines)))
        return frozenset((*words, *(word.lstrip("0") for word in words)))

    @cached_property
    def marked(self) -> tuple[str, ...]:
        """The moves, addresses and days of the commands."""
        words = (word for line in self.lines for word in line.split())
        short = (word for word in words if len(word) <= _LONGEST_MARKED)
        found = (item for word in short for item in _MARKS_OF_ITS_OWN.findall(word))
        return tuple(islice(dict.fromkeys(found), _MOST_MARKED))

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The beginnings of names: whoever plays as dave may sign as David."""
        return frozenset(name[:_ALIKE] for name in self.names if len(name) >= _ALIKE)

    @cached_property
    def months(self) -> frozenset[str]:
        return frozenset(str(int(month)) for month in _DATE_MONTH.findall(" ".join(self.lines)))


def _spellings(line: str) -> Iterator[str]:
    """Yield the phrases of a line, also without accents. In the lists @ is a name, # a number.

    "(a|the) game" stands for a phrase with each of the words.
    """
    for written in small(line).replace("@", _NAME).replace("#", _REPEATED).split(","):
        parts = [part.split("|") for part in re.split(r"[()]", written)]
        for chosen in product(*parts):
            phrase = " ".join("".join(chosen).split())
            yield phrase
            yield plain_letters(phrase)


WELCOME: Final = Asked((PLAY,), to_stranger=True)


class _Either:
    """The members of several sets, which are not copied."""

    def __init__(self, *sets: Container[str]) -> None:
        self.sets = sets

    def __contains__(self, phrase: object) -> bool:
        return any(phrase in each for each in self.sets)


class _Language:
    """The phrases of one language, by section."""

    def __init__(self, path: Path) -> None:
        found = read_sections(path, _SECTIONS, _spellings)
        self._months = [phrase.partition(" ")[::2] for phrase in found.pop("months")]
        self.elided = tuple(found.pop("elided"))
        self.spoils = frozenset(found.pop("spoils"))
        self.sections = {name: frozenset(phrases) for name, phrases in found.items()}
        self.clear = _YES | self.sections["yes"]
        self.again = self.sections[PLAY] - self.clear
        self.turns = _TURNS - self.sections["common"]
        self.words = frozenset(
            word for phrases in found.values() for phrase in phrases for word in phrase.split()
        )

    def saying(self, asked: Asked) -> Container[str]:
        """Return the phrases that say yes to a question."""
        milder = () if asked.grave else _WORDS["gladly"]
        wishes = _WORDS["to play"] if PLAY in asked.kinds else ()
        told = (self.sections[kind] for kind in asked.kinds)
        return _Either(_YES, {_REPEATED}, self.sections["yes"], milder, wishes, *told)

    def beside(self, asked: Asked) -> Container[str]:
        """Return the phrases that may stand beside a yes."""
        told = (self.sections[_BESIDE + kind] for kind in asked.kinds)
        return _Either(_ANYWHERE, self.sections["common"], *told)

    def knows(self, clause: Clause, asked: Asked) -> bool:
        known = _Either(self.words, _ANYWHERE_WORDS, *self.repeating(asked))
        return all(word in known for word in self.plain(clause).words)

    def repeating(self, asked: Asked) -> tuple[frozenset[str], ...]:
        """Return the words that repeat a question."""
        months = self._months if asked.months else ()
        return asked.repeated, frozenset(name for number, name in months if number in asked.months)

    def plain(self, clause: Clause) -> Clause:
        """Return a clause whose unknown words have lost what is elided before them: "l'ami"."""
        if not self.elided:
            return clause
        words = tuple(chain.from_iterable(map(self._without_elided, clause.words)))
        return replace(clause, words=words)

    def _without_elided(self, word: str) -> tuple[str, ...]:
        before = next((each for each in self.elided if word.startswith(each)), "")
        return (word.removeprefix(before),) if before and word not in self.words else (word,)


_LANGUAGES: Final = tuple(map(_Language, sorted(_FOLDER.glob("*.txt"))))


def agrees(lines: Sequence[str], asked: Asked, *, merely: bool = False) -> bool:
    """Return whether an answer says yes to a question, and nothing else.

    With `merely`, it also has nothing that might interest others, such as "good game".
    """
    kept = _without_signature([line.strip() for line in lines], asked)
    text = " ".join(kept)
    if not kept or len(kept) > _MOST_LINES or len(text) > LONGEST_YES or _DOUBTFUL & {*text}:
        return False
    reading = (
        replace(clause, words=tuple(_known(word, asked) for word in clause.words))
        for part in _paragraphs(kept, asked)
        for clause in clauses(part, LONGEST_YES)
    )
    first = tuple(islice(reading, 1))  # of most mails it is enough
    languages = [each for each in _LANGUAGES if first and each.knows(first[0], asked)]
    # Quotes may be our words, rewrapped by a mail program.
    quotes = languages and '"' in fold_typography(text)
    if not languages or (quotes and _YES.isdisjoint(first[0].words[:1])):
        return False
    found = (*first, *reading)
    agreed = any(_agree(language, found, asked, merely=merely) for language in languages)
    return agreed and not any(has_phrase(clause.words, _SPOILS) for clause in found)


def beside_yes(lines: Sequence[str], asked: Asked) -> tuple[str, ...]:
    """Return the lines of a yes that may interest others, from the first such line on."""
    merely = partial(agrees, asked=asked, merely=True)
    kept = () if merely(lines) else filter(str.strip, lines)
    return tuple(dropwhile(lambda line: merely((line,)), kept))


def _without_signature(lines: Sequence[str], asked: Asked) -> list[str]:
    """Return the lines with words, without the names at their end.

    An unknown word counts as a name only if it stands apart, or below a closing phrase.
    """
    kept = [at for at, line in enumerate(lines) if line]
    while len(kept) > 1:
        above, at = kept[-2:]
        is_apart = above < at - 1 or _is_addressed(_bare(lines[above].split()[-3:]))
        if not _is_name(lines[at], asked, known=not is_apart):
            break
        kept.pop()
    return [lines[at] for at in kept]


def _paragraphs(lines: list[str], asked: Asked) -> Iterator[str]:
    """Yield the lines of an answer; those that a mailer broke are joined."""
    text = lines[0]
    for before, line in pairwise(lines):
        text += (" " if len(before) > _WRAPPED and before[-1].isalnum() else "\n") + line
    for item in sorted(asked.marked, key=len, reverse=True):
        loosely = re.escape(item).replace(",", r"[, ]\s?")
        text = re.sub(rf"(?<!\w){loosely}(?!\w)", _REPEATED, text, flags=re.IGNORECASE)
    yield from _without_names(_ASKED_LOUDLY.sub("", text), asked)


def _without_names(text: str, asked: Asked) -> Iterator[str]:
    """Yield the lines of a text, with names behind a greeting or a closing replaced."""
    for line in text.split("\n"):
        words = line.split()
        said = _bare(words)
        for at, word in enumerate(words):
            bare = word.rstrip(".,!")
            if _is_addressed(said[max(0, at - 3) : at]) and _is_name(bare, asked):
                words[at], said[at] = _NAME + word.removeprefix(bare), _NAME
        yield " ".join(words)


def _bare(words: Sequence[str]) -> list[str]:
    return [small(word.strip(".,!")) for word in words]


def _is_addressed(before: list[str]) -> bool:
    """Return whether a name is expected behind these words: "Hello", "Kind regards,"."""
    ends = (" ".join(before[start:]).casefold() for start in range(len(before)))
    return before[-1:] == [_NAME] or any(end in _BEFORE_NAMES for end in ends)


def _is_name(text: str, asked: Asked, *, known: bool = False) -> bool:
    """Return whether a text may be nothing but the name of a person, or a `known` name."""
    words = [word.strip("-,.!~") for word in text.split()]
    words = [word for word in words if word]
    is_known = all(
        word in asked.names or (word not in _COMMON and word[:_ALIKE] in asked.beginnings)
        for word in map(small, words)
    )
    like = not known and all(
        word[0].isupper()
        and _NAME_WORD.fullmatch(word)
        and (len(word) == 1 or small(word) not in _COMMON)
        for word in words
    )
    return 0 < len(words) <= _MOST_NAMES and (is_known or like)


_COMMON: Final = frozenset().union(
    *(phrases for name, phrases in _WORDS.items() if name != "name follows"),
    *(language.words for language in _LANGUAGES),
)
_SPOILS: Final = frozenset().union(*(language.spoils for language in _LANGUAGES))


def _known(word: str, asked: Asked) -> str:
    """Return a word, or what stands for it if it is a name or a number of the question."""
    if word in asked.names or (word not in _COMMON and _OF_A_NAME.sub("", word) in asked.names):
        return _NAME
    number = _NUMBER.fullmatch(word)
    return _REPEATED if number and number[1] in asked.repeated else word


def _agree(language: _Language, found: Sequence[Clause], asked: Asked, *, merely: bool) -> bool:
    found = [language.plain(clause) for clause in found]
    saying = language.saying(asked)
    beside = (_POLITE, asked.kinds) if merely else (language.beside(asked),)
    agreeing = _Either(saying, *beside, *language.repeating(asked))
    said = list[str]()
    for clause in found:
        parts = clause.parts(agreeing, preferred=saying, most=_MOST_WORDS) or ()
        is_asked = clause.mark in _ASKS
        if parts and (not is_asked or _WHY_NOT.issuperset(parts)):
            said += parts
        elif parts and not said and _YES.isdisjoint(parts):
            pass  # "Resign? Yes."
        elif asked.to_stranger and said and _asks_how(language, clause, agreeing):
            pass
        elif is_asked or merely or not (said and _may_remark(language, said, clause, asked)):
            return False
    affirms = [part for part in said if part in saying]
    if not affirms or ({_REPEATED}.issuperset(affirms) and "move" not in asked.kinds):
        return False
    only_received = asked.to_stranger and _RECEIVED.issuperset(affirms)
    return not only_received or (_RECEIVED | _WORDS["greeting"] | {_NAME}).issuperset(said)


def _may_remark(language: _Language, said: Sequence[str], clause: Clause, asked: Asked) -> bool:
    """Return whether a clause is a remark behind a yes that has said again what was asked.

    A remark neither denies, doubts nor delays, and is a sentence of its own: "in May" is none. No
    list knows all that takes a yes back ("scratch that"), so only whoever wants to play may remark.
    """
    is_clear = not language.clear.isdisjoint(said)  # no mere "I'd love to"
    letters = re.sub(r"['-]", "", "".join(clause.words))
    is_sure = is_clear and PLAY in asked.kinds and not language.again.isdisjoint(said)
    is_sentence = len(clause.words) >= _REMARK and clause.words[0] not in _WORDS["joins"]
    return is_sure and is_sentence and language.turns.isdisjoint(clause.words) and letters.isalpha()


def _asks_how(language: _Language, clause: Clause, agreeing: Container[str]) -> bool:
    """Return whether a clause only asks how to begin: "What do I do first?"."""
    how, begin = language.sections["how"], language.sections["begin"]
    beside = language.sections["beside how"]
    if clause.parts(_Either(agreeing, how, begin, beside), most=_MOST_WORDS) is None:
        return False
    words = frozenset(clause.words)
    return not (words.isdisjoint(how) or words.isdisjoint(begin))
