"""Reads answers to a welcome: no, stop, a greeting, a name.

A no is read broadly, since we then write no more. `yes_and_no` recognises a yes.
"""

import re
from collections.abc import Sequence
from itertools import islice
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
from pbm.mail.reading.signatures import CLOSINGS

_MOST_CLAUSES = 4
_SHORT_GREETING = 4  # words
_WORDS: Final = ANSWER_WORDS
_PASSED_OVER: Final = {word for word in _WORDS["polite"] | _WORDS["before a no"] if " " not in word}
_NO_UNDIVIDED: Final = tuple(_WORDS["no undivided"])
_STOP_UNDIVIDED: Final = tuple(_WORDS["stop undivided"])
_ANSWERS: Final = _WORDS["yes"] | _WORDS["no"] | _WORDS["no alone"] | NO_MAIL | _WORDS["stop alone"]
ANSWERS: Final = frozenset(word for word in _ANSWERS if " " not in word)
_EVERYDAY: Final = frozenset(
    word
    for phrases in (
        *(_ANSWERS, _WORDS["gladly"], _WORDS["not"], _WORDS["doubt"], _WORDS["polite"]),
        *(_WORDS["before a no"], _WORDS["greeting"], _WORDS["everyday"]),
    )
    for word in phrases
    if " " not in word
)
_AROUND_A_NAME = "\"'`*_<>[]()"
_NO_NAME_ENDS = (",", "!", "?", ":")  # somebody is spoken to, or asked
_MOST_WORDS = 12  # of a line asking for a name
_ACKNOWLEDGING: Final = _WORDS["thanks"] | _WORDS["polite"] | _WORDS["greeting"] | CLOSINGS
_NAME_AT_END = re.compile(r"(?:\n|, )\s*[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*)?\s*$")


def says_no(text: str) -> bool:
    """Whether a text may be a no, or a wish for no more mail; not beside a yes."""
    words = _first_words(text)
    return _is_opting_out(words) or (_is_no(words) and not _says_yes(text))


def opts_out(text: str) -> bool:
    """Whether a text begins with a wish for no more mail.

    A clear word may be in a later sentence: "I never signed up. Unsubscribe me!"
    """
    if _is_opting_out(_first_words(text)):
        return True
    later = (_without_polite(clause.words) for clause in islice(clauses(text), _MOST_CLAUSES))
    unsubscribes = any(words and words[0] in _WORDS["unsubscribe"] for words in later)
    return unsubscribes and not _says_yes(text)


def only_thanks(lines: Sequence[str]) -> bool:
    """Whether a text only acknowledges something, perhaps with a name at its end.

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
    """Whether a word is an everyday answer rather than a name."""
    return word in _EVERYDAY or says_no(word)


def is_greeting(clause: Clause) -> bool:
    """Whether a clause only addresses somebody: "Hello Bob", or "Bob,"."""
    return _speaks_to(clause.words, clause.mark)


def name_alone(line: str) -> str | None:
    """The name in a line that can be nothing else, else None."""
    *before, word = _without_polite_ends(line) or [""]
    return None if before else _as_name(word)


def name_given(line: str) -> str | None:
    """The name that a line asks for explicitly: "call me marta"."""
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


def _says_yes(text: str) -> bool:
    """Whether one of the first clauses begins with a yes."""
    found = (_without_polite(clause.words) for clause in islice(clauses(text), _MOST_CLAUSES))
    return any(words and words[0] in _WORDS["yes"] for words in found)


def _first_words(text: str) -> Sequence[str]:
    """The words of the first clause that is no greeting; empty if it is a yes."""
    for clause in islice(clauses(text), _MOST_CLAUSES):
        words = _without_polite(clause.words)
        if words and words[0] in _WORDS["yes"]:
            return ()
        if words and not _speaks_to(words, clause.mark):
            return words
    return ()


def _without_polite(words: Sequence[str]) -> Sequence[str]:
    start, end = 0, len(words)
    while start < end and words[start] in _PASSED_OVER:
        start += 1
    while start < end and words[end - 1] in _PASSED_OVER:
        end -= 1
    return words[start:end]


def _speaks_to(words: Sequence[str], mark: str) -> bool:
    if words[0] in _WORDS["greeting"]:
        return len(words) <= _SHORT_GREETING
    return len(words) == 1 and mark == "," and not is_everyday(words[0])


def _is_no(words: Sequence[str]) -> bool:
    if not words:
        return False
    harmless = len(words) > 1 and words[0] in _WORDS["no"] and words[1] in _WORDS["harmless"]
    alone = len(words) == 1 and words[0] in _WORDS["no alone"]
    undivided = words[0].startswith(_NO_UNDIVIDED)
    return not harmless and (alone or undivided or begins(words, _WORDS["no"]))


def _is_opting_out(words: Sequence[str]) -> bool:
    if not words:
        return False
    alone = len(words) == 1 and words[0] in _WORDS["stop alone"]
    undivided = words[0].startswith(_STOP_UNDIVIDED)
    return alone or undivided or begins(words, NO_MAIL)
