"""Reads a yes or no in answer to a question, strictly.

The first line, or its first clause, must be a yes or no as a whole, and the rest must leave no
doubt. See docs/replies.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, islice, takewhile
from typing import Final

from pbm.commands.sentences.clauses import ANSWER_WORDS, LONGEST, NO_MAIL, Clause, begins, clauses
from pbm.commands.sentences.everyday import is_greeting
from pbm.mail.reading.charsets import fold_typography

_MOST_LINES = 4  # of a sentence
_BETWEEN = " .,;:!-\u2013\u2014…。、，！"
_ASKS = frozenset("?？؟")
_ENDS = frozenset(".!。！")
_WORDS: Final = ANSWER_WORDS
_YES: Final = _WORDS["yes"] | _WORDS["gladly"]
_NO: Final = _WORDS["no"] | _WORDS["no alone"] | NO_MAIL
_ALONE: Final = _WORDS["no alone"] | NO_MAIL  # counts only if the line says nothing else
_BESIDE: Final = _WORDS["polite"] | _WORDS["greeting"]
_DOUBTS: Final = _WORDS["doubt"] | _WORDS["not"] | _NO | _WORDS["stop alone"]
_ENDS_IN_NO: Final = _WORDS["not"] | {word for word in _NO if " " not in word}
_WHY_NOT: Final = {
    phrase
    for phrase in _WORDS["gladly"]
    if all(not words.isdisjoint(phrase.split()) for words in (_WORDS["doubt"], _ENDS_IN_NO))
}
_DOUBT_UNDIVIDED: Final = tuple(_WORDS["doubt undivided"])


@dataclass(frozen=True)
class Spoken:
    """The answer in the first line after a greeting.

    `answer` is None if it is unclear. `begins`: it begins like an answer. `clear`: it is a yes in
    every language. `rest` is the remainder of the line, `lines` the number of lines read.
    """

    answer: bool | None = None
    begins: bool = False
    clear: bool = False
    rest: str = ""
    lines: int = 0


def spoken(body: Sequence[str], *, leaving: bool = False) -> Spoken:
    """Read an answer to a question; `leaving`: the question was about leaving for good."""
    again = _WORDS["again"] | _WORDS["leaving"] if leaving else _WORDS["again"]
    for index, line in enumerate(body[:_MOST_LINES]):
        found = list(clauses(line))
        said = list(dropwhile(_says_nothing, found))
        if said:
            return replace(_read(said, line, body[index + 1 :], again), lines=index + 1)
        if not all(map(is_greeting, found)):
            return Spoken(begins=_begins(found[0]), lines=index + 1)
    return Spoken()


def accepts(line: str) -> bool:
    """Whether a line accepts an offer, and says nothing else."""
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
        is_all = _is_all(others, line, frozenset())
        if not is_all and _ALONE.intersection(said):
            continue
        surely = _WORDS["yes"] | again
        is_clear = not _WORDS["yes"].isdisjoint(first.parts(surely | _BESIDE) or ())
        clear = answer and is_clear and _is_all(others, line, surely)
        says_more = not _is_all(others, line, phrases)
        rest = line[first.end :].lstrip(_BETWEEN).strip() if says_more else ""
        return Spoken(answer, begins=True, clear=clear, rest=rest)
    return Spoken(begins=_begins(first))


def _begins(clause: Clause) -> bool:
    return begins(clause.words, _YES | _NO)


def _is_all(found: Iterable[Clause], line: str, phrases: frozenset[str]) -> bool:
    """Whether the clauses consist of these phrases and polite words."""
    made_of = (clause.parts(phrases | _BESIDE) is not None for clause in found)
    return len(line) <= LONGEST and all(made_of)


def _is_doubtful(
    answer: bool,
    found: Sequence[Clause],
    line: str,
    below: Sequence[str],
    again: frozenset[str],
) -> bool:
    """Whether other words in the line or right below may reverse the answer."""
    more = found[1:]
    # As is usual after a yes: "How do I begin?"
    asks_how = any(not _WORDS["asks on"].isdisjoint(clause.words) for clause in more)
    said = takewhile(lambda clause: clause.parts(_YES | again | _BESIDE) is not None, found)
    asks_on = answer and asks_how and any(clause.mark in _ENDS for clause in said)
    asked = sum(map(line.count, _ASKS)) - sum(map(_is_why_not, more))
    asks = asked > 0 and not asks_on
    if asks or len(line) > LONGEST or _quotes(line):
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


def _is_why_not(clause: Clause) -> bool:
    """Whether a clause is a question that means yes: "Why not?"."""
    return clause.mark in _ASKS and clause.parts(_WHY_NOT) is not None


def said_below(below: Iterable[str]) -> Iterable[str]:
    """The lines below an answer that may contradict it."""
    return islice(filter(str.strip, below), _MOST_LINES)


def _is_no(clause: Clause) -> bool:
    """Whether a clause says only no, or ends with no: "I would rather not"."""
    if clause.words and clause.words[-1] in _ENDS_IN_NO:
        return clause.parts(_YES | _BESIDE) is None
    said = clause.parts(_NO | _WORDS["stop alone"] | _BESIDE)
    return said is not None and not _BESIDE.issuperset(said)


def _doubts(words: Sequence[str], doubts: frozenset[str]) -> bool:
    """Whether a word makes a yes doubtful, but not "was" in "that was"."""
    pairs = zip(("", *words), words, strict=False)
    return any(
        (word in doubts and f"{before} {word}" not in _WORDS["no doubt"])
        or any(part in word for part in _DOUBT_UNDIVIDED)
        for before, word in pairs
    )


def _quotes(line: str) -> bool:
    """Whether a line quotes words, perhaps ours, rewrapped by a mail program."""
    text = fold_typography(line).strip()
    return '"' in text and not text[0] == text[-1] == '"'
