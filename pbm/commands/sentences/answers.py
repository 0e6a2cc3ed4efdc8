"""Parses a yes or no: strictly in answer to a question, broadly in answer to a welcome.

In an answer to a question, the first line or its first clause must say only yes or no, and the
other words must leave no doubt. After a no to a welcome we write no more. See docs/replies.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, islice, takewhile
from typing import Final

from pbm.commands.sentences.clauses import (
    ANSWER_WORDS,
    LONGEST,
    NO_MAIL,
    Clause,
    begins,
    clauses,
    small,
)
from pbm.mail.reading.charsets import fold_typography
from pbm.mail.reading.signatures import CLOSINGS

_WORDS: Final = ANSWER_WORDS


def _single(*phrases: frozenset[str]) -> frozenset[str]:
    return frozenset(word for some in phrases for word in some if " " not in word)


_MOST_LINES = 4  # of a sentence
_BETWEEN = " .,;:!-\u2013\u2014…。、，！"
_ASKS = frozenset("?？؟")
_ENDS = frozenset(".!。！")
_YES: Final = _WORDS["yes"] | _WORDS["gladly"]
_NO: Final = _WORDS["no"] | _WORDS["no alone"] | NO_MAIL
_ALONE: Final = _WORDS["no alone"] | NO_MAIL  # counts only if the line says nothing else
_BESIDE: Final = _WORDS["polite"] | _WORDS["greeting"]
_DOUBTS: Final = _WORDS["doubt"] | _WORDS["not"] | _NO | _WORDS["stop alone"]
_ENDS_IN_NO: Final = _WORDS["not"] | _single(_NO)
_WHY_NOT: Final = {
    phrase
    for phrase in _WORDS["gladly"]
    if all(not words.isdisjoint(phrase.split()) for words in (_WORDS["doubt"], _ENDS_IN_NO))
}
_DOUBT_UNDIVIDED: Final = tuple(_WORDS["doubt undivided"])
_MOST_CLAUSES = 4
_SHORT_GREETING = 4  # words
_PASSED_OVER: Final = _single(_WORDS["polite"], _WORDS["before a no"])
_ANSWERS: Final = _WORDS["yes"] | _WORDS["no"] | _WORDS["no alone"] | NO_MAIL | _WORDS["stop alone"]
ANSWERS: Final = _single(_ANSWERS)
_EVERYDAY: Final = ANSWERS | _single(
    *map(_WORDS.__getitem__, ("gladly", "not", "doubt", "polite", "before a no", "greeting")),
    _WORDS["everyday"],
)
_AROUND_A_NAME = "\"'`*_<>[]()"
_NO_NAME_ENDS = (",", "!", "?", ":")  # somebody is spoken to, or asked
_MOST_WORDS = 12  # of a line asking for a name
_ACKNOWLEDGING: Final = _WORDS["thanks"] | _WORDS["polite"] | _WORDS["greeting"] | CLOSINGS
_NAME_AT_END = re.compile(r"(?:\n|, )\s*[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*)?\s*$")


@dataclass(frozen=True)
class Spoken:
    """The answer to a yes-or-no question, in the first line that says more than a greeting."""

    answer: bool | None = None  # True for yes, None if unclear
    begins: bool = False  # the line begins like an answer
    clear: bool = False  # it says only yes, in words that mean nothing else in any language
    rest: str = ""  # words behind the answer in its line
    lines: int = 0  # how many were read


def spoken(body: Sequence[str], *, leaving: bool = False) -> Spoken:
    """Parse an answer to a yes-or-no question. If `leaving`, it was about leaving the server."""
    again = _WORDS["again"] | _WORDS["leaving"] if leaving else _WORDS["again"]
    for index, line in enumerate(body[:_MOST_LINES]):
        found = list(clauses(line))
        said = list(dropwhile(_says_nothing, found))
        if said:
            return replace(_read(said, line, body[index + 1 :], again), lines=index + 1)
        if not all(map(is_greeting, found)):
            return Spoken(begins=begins(found[0].words, _YES | _NO), lines=index + 1)
    return Spoken()


def accepts(line: str) -> bool:
    """Return whether a line accepts an offer, and says nothing else."""
    said = [clause.parts(_WORDS["accepting"] | _BESIDE) for clause in clauses(line)]
    return None not in said and any(_WORDS["accepting"].intersection(parts or ()) for parts in said)


def _says_nothing(clause: Clause) -> bool:
    return is_greeting(clause) or (clause.parts(_BESIDE) is not None and clause.parts(_YES) is None)


def _read(
    found: Sequence[Clause], line: str, below: Sequence[str], again: frozenset[str]
) -> Spoken:
    first, *others = found
    for answer, phrases in ((True, _YES | again), (False, _NO)):
        said = first.parts(phrases | _BESIDE)
        if said is None or (_YES if answer else _NO).isdisjoint(said):
            continue
        if _is_doubtful(answer, found, line, below, again):
            continue
        if _ALONE.intersection(said) and not _is_all(others, line, frozenset()):
            continue
        surely = _WORDS["yes"] | again
        is_clear = not _WORDS["yes"].isdisjoint(first.parts(surely | _BESIDE) or ())
        clear = answer and is_clear and _is_all(others, line, surely)
        says_more = not _is_all(others, line, phrases)
        rest = line[first.end :].lstrip(_BETWEEN).strip() if says_more else ""
        return Spoken(answer, begins=True, clear=clear, rest=rest)
    return Spoken(begins=begins(first.words, _YES | _NO))


def _is_all(found: Iterable[Clause], line: str, phrases: frozenset[str]) -> bool:
    """Return whether a line consists only of the given `phrases` and of polite words."""
    made_of = (clause.parts(phrases | _BESIDE) is not None for clause in found)
    return len(line) <= LONGEST and all(made_of)


def _is_doubtful(
    answer: bool, found: Sequence[Clause], line: str, below: Sequence[str], again: frozenset[str]
) -> bool:
    """Return whether a yes or a no is doubtful because of the words around it."""
    more = found[1:]
    # As is usual after a yes: "How do I begin?"
    asks_how = any(not _WORDS["asks on"].isdisjoint(clause.words) for clause in more)
    said = takewhile(lambda clause: clause.parts(_YES | again | _BESIDE) is not None, found)
    asks_on = answer and asks_how and any(clause.mark in _ENDS for clause in said)
    why_not = (clause.mark in _ASKS and clause.parts(_WHY_NOT) is not None for clause in more)
    asks = sum(map(line.count, _ASKS)) > sum(why_not) and not asks_on
    text = fold_typography(line).strip()  # quotes may be our words, rewrapped by a program
    quotes = '"' in text and not text[0] == text[-1] == '"'
    if asks or len(line) > LONGEST or quotes:
        return True
    if not answer:
        return any(begins(clause.words, _WORDS["yes"]) for clause in more)
    if any(_is_no(clause) for later in said_below(below) for clause in clauses(later)):
        return True
    harmless = _YES | again | _BESIDE | _WORDS["beginner"]
    others = [clause for clause in more if clause.parts(harmless) is None]
    if not others:
        return False
    for goes_on in islice(takewhile(str.strip, below), _MOST_LINES):
        others += clauses(goes_on)
    doubts = _DOUBTS - _WORDS["asks on"] if asks_on else _DOUBTS
    return any(_doubts(clause.words, doubts) for clause in others)


def said_below(below: Iterable[str]) -> Iterable[str]:
    """Return the lines below an answer that can contradict it: the first few nonblank ones."""
    return islice(filter(str.strip, below), _MOST_LINES)


def _is_no(clause: Clause) -> bool:
    """Return whether a clause is a no, or ends with a no: "I would rather not"."""
    if clause.words and clause.words[-1] in _ENDS_IN_NO:
        return clause.parts(_YES | _BESIDE) is None
    said = clause.parts(_NO | _WORDS["stop alone"] | _BESIDE)
    return said is not None and not _BESIDE.issuperset(said)


def _doubts(words: Sequence[str], doubts: frozenset[str]) -> bool:
    """Return whether one of these words is among `doubts`, except in harmless pairs of words."""
    pairs = zip(("", *words), words, strict=False)
    return any(
        (word in doubts and f"{before} {word}" not in _WORDS["no doubt"])
        or any(part in word for part in _DOUBT_UNDIVIDED)
        for before, word in pairs
    )


# -- answers to a welcome ---------------------------------------------------------------------


def says_no(text: str) -> bool:
    """Return whether a text seems to say no, or asks for no more mail."""
    words = _first_words(text)
    harmless = len(words) > 1 and words[0] in _WORDS["no"] and words[1] in _WORDS["harmless"]
    may_be_no = not harmless and _begins_with(words, "no", _WORDS["no"])
    opts = _begins_with(words, "stop", NO_MAIL)
    return opts or (may_be_no and not _has_first(text, "yes"))


def opts_out(text: str) -> bool:
    """Return whether a text begins by asking for no more mail, or soon says "unsubscribe"."""
    if _begins_with(_first_words(text), "stop", NO_MAIL):
        return True
    return _has_first(text, "unsubscribe") and not _has_first(text, "yes")


def only_thanks(lines: Sequence[str]) -> bool:
    """Return whether a text only acknowledges something, perhaps with a name at its end.

    >>> only_thanks(["OK, got it. Thanks!", "", "Alice"]), only_thanks(["Thanks for nothing"])
    (True, False)
    """
    text = "\n".join(lines).strip()
    name = _NAME_AT_END.search(text)
    if name and all(word[0].isupper() for word in name[0].strip(" ,\n").split()):
        text = text[: name.start()]
    said = [clause.parts(_ACKNOWLEDGING) for clause in clauses(text) if not is_greeting(clause)]
    thanked = any(not _WORDS["thanks"].isdisjoint(phrases or ()) for phrases in said)
    return len(text) <= LONGEST and None not in said and thanked


def is_everyday(word: str) -> bool:
    return word in _EVERYDAY or says_no(word)


def is_greeting(clause: Clause) -> bool:
    """Return whether a clause only addresses somebody: "Hello Bob", or "Bob,"."""
    if clause.words[0] in _WORDS["greeting"]:
        return len(clause.words) <= _SHORT_GREETING
    return len(clause.words) == 1 and clause.mark == "," and not is_everyday(clause.words[0])


def name_alone(line: str) -> str | None:
    *before, word = _without_polite_ends(line) or [""]
    return None if before else _as_name(word)


def name_given(line: str) -> str | None:
    """Return the name that a line asks for explicitly ("call me marta"), else None."""
    *before, word = _without_polite_ends(line) or [""]
    *_, last = ((), *(clause.words for clause in clauses(" ".join(before))))
    told = any(" ".join(last[start:]) in _WORDS["name follows"] for start in range(len(last)))
    return _as_name(word.rstrip("!")) if told else None


def _without_polite_ends(line: str) -> list[str]:
    words = line.split(maxsplit=_MOST_WORDS) if len(line) <= LONGEST else []
    while len(words) > 1 and small(words[-1].rstrip(".!")) in _WORDS["polite"]:
        words.pop()
        words[-1] = words[-1].rstrip(",")
    return words


def _as_name(word: str) -> str | None:
    name = word.strip(_AROUND_A_NAME).rstrip(".").strip(_AROUND_A_NAME)
    is_one = bool(name) and not name.endswith(_NO_NAME_ENDS) and not is_everyday(small(name))
    return name if is_one else None


def _first_clauses(text: str) -> Iterator[Clause]:
    """Yield the first clauses, without polite words at their ends."""
    for clause in islice(clauses(text), _MOST_CLAUSES):
        kept = [at for at, word in enumerate(clause.words) if word not in _PASSED_OVER]
        if kept:
            yield replace(clause, words=clause.words[kept[0] : kept[-1] + 1])


def _has_first(text: str, section: str) -> bool:
    return any(clause.words[0] in _WORDS[section] for clause in _first_clauses(text))


def _first_words(text: str) -> Sequence[str]:
    """Return the first clause of a text that is no greeting, without polite words at its ends.

    Returns () if there is no such clause. Also returns () if the clause, or a greeting above it,
    begins with a yes.
    """
    for clause in _first_clauses(text):
        if clause.words[0] in _WORDS["yes"]:
            return ()
        if not is_greeting(clause):
            return clause.words
    return ()


def _begins_with(words: Sequence[str], kind: str, phrases: frozenset[str]) -> bool:
    """Return whether words begin with one of `phrases`, or with a word for a `kind` of answer.

    A word in the list "no alone" counts only if it is the only word. The list "no undivided" is for
    languages without blanks between words.
    """
    if not words:
        return False
    alone = len(words) == 1 and words[0] in _WORDS[f"{kind} alone"]
    undivided = words[0].startswith(tuple(_WORDS[f"{kind} undivided"]))
    return alone or undivided or begins(words, phrases)
