"""Parses a yes: each clause of an answer must agree with what was asked. See docs/replies.md.

A clause agrees if it is made of phrases of one language that belong to every yes, or to what was
asked. Any other word, and the answer is no yes. At least one clause has to say yes, or to repeat
what was asked. Chat about families, feelings and the game agrees beside an explicit yes only.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import dropwhile, islice, pairwise

from pbm.commands.sentences.agreeing_words import (
    FIRST_PERSON,
    KINDS,
    LANGUAGES,
    NAME,
    OPENS,
    PLAY,
    REPEATED,
    TURNS,
    YES,
    Language,
    pattern_of,
)
from pbm.commands.sentences.clauses import ANSWER_WORDS as WORDS
from pbm.commands.sentences.clauses import Clause, clauses, small
from pbm.mail.reading.charsets import fold_typography
from pbm.mail.reading.signatures import IN_NAMES

_SECOND_PERSON = frozenset("you du jij je tu tú ty vous u has hai hast".split())
_OWN = frozenset(("resign", "delete"))  # kinds of acts that nobody does for others
# What a question is about, by a word of the commands that it asks about.
_KIND_OF = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(("challenge", "rematch", "seek", "join"), PLAY),
    **dict.fromkeys(("plan", "submit", "confirm"), "move"),
    **dict.fromkeys(("change", "set", "block", "newkey", "add", "send"), "account"),
}
_CONTRARY = frozenset(("reject", "decline", "unseek", "drop", "back", "resume"))
_GRAVE = frozenset(("delete", "newkey", "add", "change"))  # commands
LONGEST_YES, _MOST_LINES, _MOST_WORDS = 600, 14, 40  # of an answer; the words are of a clause
_WRAPPED = 50  # characters; a line that is longer may go on in the next one
_MOST_NAMES = 4  # words of a name
_REMARK, _MOST_REMARKS = 3, 6  # words of a remark at least, and remarks
_ALIKE = 3  # letters by which a name is known
_NAME_WORD = re.compile(r"[^\W\d_][\w.'’-]*")
_NUMBER = re.compile(r"0*(\d{1,4})(?:st|nd|rd|th|er|te|ten|º|ª|o|a|go|de|e)?", re.ASCII)
_OF_A_NAME = re.compile(r"^(?:de?ll|all|d|l)['’]|['’]s?$|(?<=...)s$")  # "d'Alice", "Alices"
_LONGEST_MARKED, _MOST_MARKED = 64, 20  # characters of such a word, and words
_MARKS_OF_ITS_OWN = re.compile(r"[\w.+-]*[^\W_][,@:-][\w,.:@-]*\w")  # moves, addresses, days
_ASKED_LOUDLY = re.compile(r"[!.]{1,9}(?=[?？؟])")  # "Yes!?"
_DATE_MONTH = re.compile(r"\b20\d\d-(\d\d)-\d\d\b", re.ASCII)
_ASKS = frozenset("?？؟")
_DOUBTFUL = frozenset("🙄🤔🤷😒😏🙃🤨👎❌🙅🛑✋")
_BEFORE_NAMES = OPENS | (WORDS["thanks"] & WORDS["polite"])
_GIVEN = WORDS["given names"]
_FROM = frozenset("from aus de desde da di uit van".split())  # between a name and a place
_RECEIVED = WORDS["received"]  # a yes, and what a help desk writes
_WHY_NOT = frozenset(phrase for phrase in WORDS["gladly"] if "not" in phrase.split())


@dataclass(frozen=True)
class Asked:
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
        found = dict.fromkeys(filter(None, kinds))
        found |= {PLAY: None} if "substitute" in found else {}
        return cls(tuple(found), tuple(lines), names, grave)

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
        return frozenset(name[:_ALIKE] for name in self.names if len(name) >= _ALIKE)

    @cached_property
    def months(self) -> frozenset[str]:
        """The numbers of the months in the commands."""
        return frozenset(str(int(month)) for month in _DATE_MONTH.findall(" ".join(self.lines)))


WELCOME = Asked((PLAY,), to_stranger=True)


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
    if not first or len(first[0].words) > _MOST_WORDS:
        return False
    languages = [each for each in LANGUAGES if each.knows(first[0], _more(each, asked))]
    # Quotes may be our words, rewrapped by a mail program.
    quotes = languages and '"' in fold_typography(text)
    if not languages or (quotes and YES.isdisjoint(first[0].words[:1])):
        return False
    found = (*first, *reading)
    if found[-1].mark == ":":
        return False  # it announces what stands below
    agreed = any(_agree(language, found, asked, merely=merely) for language in languages)
    return agreed and not any(_SPOILS.search(" ".join(clause.words)) for clause in found)


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
        text = re.sub(rf"(?<!\w){loosely}(?!\w)", REPEATED, text, flags=re.IGNORECASE)
    yield from _without_names(_ASKED_LOUDLY.sub("", text), asked)


def _without_names(text: str, asked: Asked) -> Iterator[str]:
    """Yield the lines of a text, with names behind a greeting or a closing replaced."""
    for line in text.split("\n"):
        words = line.split()
        said = _bare(words)
        for at, word in enumerate(words):
            bare = word.rstrip(".,!")
            if _is_addressed(said[max(0, at - 3) : at]) and _is_name(bare, asked):
                words[at], said[at] = NAME + word.removeprefix(bare), NAME
        yield " ".join(words)


def _bare(words: Sequence[str]) -> list[str]:
    return [small(word.strip(".,!")) for word in words]


def _is_addressed(before: list[str]) -> bool:
    """Return whether a name is expected behind these words: "Hello", "Kind regards,"."""
    ends = (" ".join(before[start:]).casefold() for start in range(len(before)))
    is_from = before[-2:-1] == [NAME] and before[-1] in _FROM
    return before[-1:] == [NAME] or is_from or any(end in _BEFORE_NAMES for end in ends)


def _is_name(text: str, asked: Asked, *, known: bool = False) -> bool:
    """Return whether a text may be nothing but the name of a person.

    A `known` name begins with a name of the question, a given name, a title or an initial.
    """
    words = [word.strip("-,.!~") for word in text.split()]
    words = [word for word in words if word]
    is_known = all(_is_asked(small(word), asked) for word in words)
    first = small("".join(words[:1]))
    is_given = first in _GIVEN or _is_asked(first, asked) or (len(first) == 1 < len(words))
    common = _ANSWERING - IN_NAMES if is_given else _COMMON
    like = (is_given or not known) and all(
        (word[0].isupper() or (is_given and word in IN_NAMES))
        and _NAME_WORD.fullmatch(word)
        and (len(word) == 1 or small(word) == first in _GIVEN or small(word) not in common)
        for word in words
    )
    return 0 < len(words) <= _MOST_NAMES and (is_known or like)


def _is_asked(word: str, asked: Asked) -> bool:
    """Return whether a word is a name of the question: whoever plays as dave may sign as David."""
    return word in asked.names or (word not in _COMMON and word[:_ALIKE] in asked.beginnings)


_ANSWERING = frozenset().union(
    *(phrases for name, phrases in WORDS.items() if name not in ("name follows", "given names"))
)
_COMMON = _ANSWERING.union(*(language.words for language in LANGUAGES))
_SPOILS = re.compile(pattern_of(phrase for language in LANGUAGES for phrase in language.spoils))
# A word on the position in any language is one in each: "even" is "a moment" in Dutch.
_STATING = frozenset().union(*(language.stating for language in LANGUAGES))


def _known(word: str, asked: Asked) -> str:
    """Return a word, or what stands for it if it is a name or a number of the question."""
    if word in asked.names or (word not in _COMMON and _OF_A_NAME.sub("", word) in asked.names):
        return NAME
    number = _NUMBER.fullmatch(word)
    return REPEATED if number and number[1] in asked.repeated else word


def _more(language: Language, asked: Asked) -> frozenset[str]:
    """Return the words that repeat a question."""
    return asked.repeated | language.months(asked.months)


def _agree(language: Language, found: Sequence[Clause], asked: Asked, *, merely: bool) -> bool:
    more = _more(language, asked)
    saying = language.saying(asked.kinds, grave=asked.grave)
    again = language.again(asked.kinds)
    agreeing, chat = (language.merely if merely else language.beside)(asked.kinds)
    said, sure, remarks = list[str](), set[str](), 0
    plain = [language.plain(each, more) for each in found]
    for at, clause in enumerate(plain):
        told = agreeing if more.isdisjoint(clause.words) else agreeing | more
        parts = clause.parts(told, preferred=saying, most=_MOST_WORDS) or ()
        parts = parts or (() if merely else _remark(language, clause, told, again))
        is_asked = clause.mark in _ASKS
        chats = merely and saying.isdisjoint(parts) and not chat.isdisjoint(parts)
        names = language.clear.isdisjoint(said) and _is_with_name(plain, at)
        if chats or ("resign" in asked.kinds and _tells_to(again, parts, names=names)):
            return False
        if parts and (not is_asked or _WHY_NOT.issuperset(parts)):
            said += parts
            affirmed = not language.clear.isdisjoint(said)
            sure |= _sure(language, parts, chat, asked, affirmed=affirmed)
        elif parts and not said and YES.isdisjoint(parts):
            pass  # "Resign? Yes."
        elif asked.to_stranger and said and _asks_how(language, clause, told, chat):
            pass
        elif is_asked or merely or remarks == _MOST_REMARKS or not _is_remark(language, clause):
            return False
        else:
            remarks += 1
    is_clear = not again.isdisjoint(sure) and not language.clear.isdisjoint(said)
    if remarks and not (is_clear and PLAY in asked.kinds):  # no mere "I'd love to"
        return False
    if not (merely or _is_explicit(language, said, sure, asked, chat)):
        return False
    return _affirms(language, said, sure, asked)


def _is_explicit(
    language: Language, said: Collection[str], sure: set[str], asked: Asked, chat: frozenset[str]
) -> bool:
    """Return whether an answer is explicit enough for the chat in it, if there is any."""
    states = not _STATING.isdisjoint(said)
    if chat.isdisjoint(said) and not (states and "draw" in asked.kinds):
        return True
    says_again = not sure.isdisjoint(language.accepting) if states else len(sure) > 1
    explicit = language.again(asked.kinds) | language.sections["named"]
    return says_again or not sure.isdisjoint(explicit)


def _affirms(language: Language, said: Collection[str], sure: set[str], asked: Asked) -> bool:
    """Return whether the phrases of an answer say yes, and do not just acknowledge a mail."""
    affirms = language.saying(asked.kinds, grave=asked.grave).intersection(said)
    if not affirms or ({REPEATED}.issuperset(affirms) and "move" not in asked.kinds):
        return False
    only_names = "delete" in asked.kinds and language.again(asked.kinds).isdisjoint(sure)
    if only_names and not language.objects(asked.kinds).isdisjoint(said):
        return False  # "Yes, my account is great."
    # "Ok", beside thanks no yes, whatever is wished then: "Ok merci, bon week-end".
    others = {*said} - (_RECEIVED | WORDS["greeting"] | {NAME})
    acknowledges = bool(others if asked.to_stranger else WORDS["thanks"].intersection(others))
    return not (acknowledges and _RECEIVED.issuperset(affirms))


def _tells_to(again: frozenset[str], parts: Sequence[str], *, names: bool) -> bool:
    """Return whether somebody else is told to do what was asked: "give up Bob".

    `names` says that a name stands beside the clause: "Please resign, Bob".
    """
    persons = _persons(parts)
    told = any(act in again and name == NAME for act, name in pairwise(parts)) or (
        names and not again.isdisjoint(parts) and _SECOND_PERSON.isdisjoint(persons)
    )
    return told and FIRST_PERSON.isdisjoint(persons)


def _persons(parts: Iterable[str]) -> frozenset[str]:
    return frozenset(word.split("'")[0] for part in parts for word in part.split())


def _is_with_name(found: Sequence[Clause], at: int) -> bool:
    """Return whether a comma joins a clause to one that is a name."""
    around = pairwise(found[max(at - 1, 0) : at + 2])
    return any(left.mark == "," and (NAME,) in (left.words, right.words) for left, right in around)


def _sure(
    language: Language,
    parts: Sequence[str],
    chat: frozenset[str],
    asked: Asked,
    *,
    affirmed: bool,
) -> frozenset[str]:
    """Return the phrases of a clause that make a yes explicit, so that chat may stand beside it.

    `affirmed` says that the answer has said yes already.
    """
    again = language.again(asked.kinds)
    behind = {*dropwhile(lambda part: part not in again, parts)}
    if chat.isdisjoint(parts):
        said, explicit = {*parts}, language.saying(asked.kinds, grave=False)
        return (explicit & said) | (language.sections["named"] & said)
    # Neither "my brother resigned", "I give up coffee" nor "nobody takes it" says it again.
    others = (language.people & {*parts}) | behind
    if _OWN.isdisjoint(asked.kinds):
        is_own = affirmed or bool(FIRST_PERSON & _persons(parts))
        others = frozenset() if is_own else frozenset(parts) - behind
    return again & behind if chat.isdisjoint(others) else frozenset()


def _remark(
    language: Language, clause: Clause, told: frozenset[str], again: frozenset[str]
) -> tuple[str, ...]:
    """Return the phrases of a clause that tells of unknown things, and not of what was asked."""
    parts = language.with_things(clause).parts(told, most=_MOST_WORDS) or ()
    is_own = clause.mark not in _ASKS and not _goes_on(language, clause)
    return parts if is_own and again.isdisjoint(parts) else ()


def _is_remark(language: Language, clause: Clause) -> bool:
    """Return whether a clause may stand beside a yes to play that has said so again.

    A remark neither denies, doubts nor delays, and is a sentence of its own: "in May" is none. No
    list knows all that takes a yes back ("scratch that"), so nobody may remark beside another yes.
    """
    letters = re.sub(r"['*-]", "", "".join(clause.words))
    turns = TURNS.intersection(clause.words) - language.sections["common"]
    return not (_goes_on(language, clause) or turns) and letters.isalpha()


def _goes_on(language: Language, clause: Clause) -> bool:
    """Return whether a clause may go on with the one before: "in May"."""
    joins = WORDS["joins"] - language.sections["articles"]
    return len(clause.words) < _REMARK or clause.words[0] in joins


def _asks_how(
    language: Language, clause: Clause, agreeing: frozenset[str], chat: frozenset[str]
) -> bool:
    """Return whether a clause only asks how to begin: "What do I do first?"."""
    how, begin = language.sections["how"], language.sections["begin"]
    words = frozenset(clause.words)
    if words.isdisjoint(how) or words.isdisjoint(begin):
        return False
    phrases = (agreeing - chat) | how | begin | language.sections["beside how"]
    return clause.parts(phrases, most=_MOST_WORDS) is not None
