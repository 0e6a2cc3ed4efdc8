"""Parses a no, the beginning of an answer, names, and thanks. See docs/replies.md.

After a no to a welcome we write no more. `agreeing.py` beside it parses a yes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, islice

from pbm.commands.sentences.clauses import ANSWER_WORDS as _WORDS
from pbm.commands.sentences.clauses import (
    LONGEST,
    NO_MAIL,
    Clause,
    begins,
    clauses,
    plain_letters,
    small,
    words_of,
)
from pbm.mail.reading.charsets import fold_typography
from pbm.mail.reading.signatures import CLOSINGS


def _single(*phrases: frozenset[str]) -> frozenset[str]:
    return frozenset(word for some in phrases for word in some if " " not in word)


_MOST_LINES = 4  # of a sentence
_BETWEEN = " .,;:!-\u2013\u2014…。、，！"
_ASKS = frozenset("?？؟")
_YES = _WORDS["yes"] | _WORDS["gladly"] | _WORDS["to play"]
_ALONE = _WORDS["no alone"] | NO_MAIL  # counts only if the line says nothing else
_NO = _WORDS["no"] | _WORDS["not now"] | _ALONE
_BESIDE = _WORDS["polite"] | _WORDS["greeting"]
_NO_POLITELY = _NO | _BESIDE
_SURELY = _WORDS["yes"] | _WORDS["again"]
_MOST_CLAUSES = 4
_SHORT_GREETING = 4  # words
_PASSED_OVER = _single(_WORDS["polite"], _WORDS["before a no"])
ANSWERS = _single(_WORDS["yes"], _WORDS["no"], _ALONE, _WORDS["stop alone"])
_EVERYDAY_IN = "gladly, to play, not, doubt, polite, before a no, greeting, everyday".split(", ")
_EVERYDAY = ANSWERS | _single(*map(_WORDS.__getitem__, _EVERYDAY_IN))
_AROUND_A_NAME = "\"'`*_<>[]()"
_NO_NAME_ENDS = (",", "!", "?", ":")  # somebody is spoken to, or asked
_MOST_WORDS = 12  # of a line asking for a name
_ACKNOWLEDGING = _WORDS["thanks"] | _WORDS["polite"] | _WORDS["greeting"] | CLOSINGS
_NAME_AT_END = re.compile(r"(?:\n|, )\s*[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*)?\s*$")
_REMOVALS = frozenset(map(plain_letters, _WORDS["removal"]))


@dataclass(frozen=True)
class Spoken:
    """How an answer begins, in the first line that says more than a greeting."""

    no: bool = False
    begins: bool = False  # the line begins like a yes or a no
    rest: str = ""  # words behind a no in its line
    lines: int = 0  # how many were read


def spoken(body: Sequence[str]) -> Spoken:
    for index, line in enumerate(body[:_MOST_LINES]):
        found = list(clauses(line))
        said = list(dropwhile(_says_nothing, found))
        if said:
            return replace(_read(said, line), lines=index + 1)
        if not all(map(is_greeting, found)):
            return Spoken(begins=begins(found[0].words, _YES | _NO), lines=index + 1)
    return Spoken()


def says_only_yes(line: str) -> bool:
    """Return whether a line only says yes, whatever the language, or only accepts an offer."""
    for phrases, telling in ((_SURELY, _WORDS["yes"]), (_WORDS["accepting"], _WORDS["accepting"])):
        said = [clause.parts(phrases | _BESIDE) or ("",) for clause in clauses(line)]
        if ("",) not in said and any(not telling.isdisjoint(parts) for parts in said):
            return len(line) <= LONGEST
    return False


def _says_nothing(clause: Clause) -> bool:
    return is_greeting(clause) or (clause.parts(_BESIDE) is not None and clause.parts(_YES) is None)


def _read(found: Sequence[Clause], line: str) -> Spoken:
    first, *others = found
    said = first.parts(_NO_POLITELY) or ()
    if _NO.isdisjoint(said) or _is_doubtful(others, line):
        return Spoken(begins=begins(first.words, _YES | _NO))
    more = len(line) > LONGEST or any(clause.parts(_NO_POLITELY) is None for clause in others)
    if _ALONE.intersection(said) and any(clause.parts(_BESIDE) is None for clause in others):
        return Spoken(begins=True)
    return Spoken(
        True, begins=True, rest=line[first.end :].lstrip(_BETWEEN).strip() if more else ""
    )


def _is_doubtful(others: Sequence[Clause], line: str) -> bool:
    """Return whether the words around a no leave it in doubt."""
    text = fold_typography(line).strip()  # quotes may be our words, rewrapped by a program
    quotes = '"' in text and not text[0] == text[-1] == '"'
    asks = not _ASKS.isdisjoint(line)
    says_yes = any(begins(clause.words, _WORDS["yes"]) for clause in others)
    return asks or quotes or says_yes or len(line) > LONGEST


# -- answers to a welcome ---------------------------------------------------------------------


def says_no(text: str) -> bool:
    """Return whether a text seems to say no, or asks for no more mail."""
    words = _first_words(text)
    harmless = len(words) > 1 and words[0] in _WORDS["no"] and words[1] in _WORDS["harmless"]
    harmless = harmless or _postpones(words, text)
    may_be_no = not harmless and _begins_with(words, "no", _WORDS["no"])
    return opts_out(text) or (may_be_no and not _has_first(text, "yes"))


def _postpones(words: Sequence[str], text: str) -> bool:
    """Return whether a text says that now is not the time, and its first clause is no mere no."""
    is_mere = Clause(tuple(words), "", 0).parts(_NO_POLITELY) is not None
    later = not is_mere and not _WORDS["later"].isdisjoint(words_of(text[:LONGEST]))
    return later or begins(words, _WORDS["not now"])


def puts_off(text: str) -> bool:
    """Return whether an answer that is unclear says that now is not the time: "not today"."""
    later = _postpones(_first_words(text), text)
    return later and _ASKS.isdisjoint(text) and not opts_out(text)


def opts_out(text: str) -> bool:
    """Return whether a text begins by asking for no more mail, or soon asks to be taken off."""
    if _begins_with(_first_words(text), "stop", NO_MAIL) or _is_removal(text):
        return True
    return _has_first(text, "unsubscribe") and not _has_first(text, "yes")


def _is_removal(text: str) -> bool:
    """Return whether one of the first clauses says "take me off", in whatever language."""
    for clause in islice(clauses(text), _MOST_CLAUSES):
        words = plain_letters(" ".join(clause.words)).split()
        if any(begins(words[start:], _REMOVALS) for start in range(len(words))):
            return True
    return False


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
