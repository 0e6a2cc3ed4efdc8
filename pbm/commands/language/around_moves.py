"""Strips polite words around a move, and replaces words by signs, as in `languages/moves.txt`."""

import re
from pathlib import Path

from pbm.word_lists import read_sections

_FILE = Path(__file__).parents[1] / "languages" / "moves.txt"
_LONGEST = 100  # characters of a line that can be a move and a few words
_MOST_LAYERS = 8
_QUOTES = "\"'*_`"  # only in pairs: one alone may be some program's mark of a quotation
_NUMBER = re.compile(r"\d{1,3}\s?(?:\(#\d{1,4}\)\s?)?[.)]\s*", re.ASCII)
_BEHIND = " \t:,="  # between a word and the move behind it
_SMILEYS = (":-)", ":)", ";-)", ";)", ":-D", ":D", ";D", "=)", ":-P", ":P", ":-(", ":(")
_SMILEYS_TOO = (":-*", "^^", "<3", "XD", "xD")
DOUBTS = frozenset("🤔🤨🧐❓❔👎❌🚫🙅🤷")
_TINTS = "\ufe0f\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_EMOJI = (("\u2600", "\u27bf"), ("\U0001f300", "\U0001faff"))
_NO_BLANKS = "\u2e80"  # from here on are the letters of languages without blanks


def undressed(text: str, *, numbered: bool = True) -> str:
    """Return a text without the quotes, full stop, "please" and the like around a move.

    Dashes and quotes must be plain (`fold_typography`). Signs of doubt stay, such as "?". If
    `numbered`, a move number such as "12." is dropped, too.

    >>> undressed("1. *K-R*, please :-)"), undressed("my move: K-R!")
    ('K-R', 'K-R')
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return text
    for _ in range(_MOST_LAYERS):
        number = _NUMBER.match(text) if numbered else None
        less = _without_last(_without_first(text[number.end() :] if number else text))
        if less == text:
            break
        text = less
    return text


def with_signs(text: str) -> str:
    """Rewrite a move as people say it into signs: an arrow for "to", "b" for "bee".

    The text becomes lower case. The words "from" and "and" are dropped.

    >>> with_signs("from K to R"), with_signs("K and Q -> R")
    ('k → r', 'k q → r')
    """
    words = text.casefold().split()
    if words and words[0] in PHRASES["from"]:
        words = words[1:]
    words = [_SPOKEN.get(word, word) for word in words]
    text = " ".join(filter(None, (_SIGNS.get(word, word) for word in words)))
    for phrase, sign in _SIGNS_INSIDE:
        text = text.replace(phrase, sign)
    return text


def _without_first(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
        return text[1:-1].strip()
    if text[:1] and _is_emoji(text[0]):
        return text[1:].lstrip(_TINTS).lstrip()
    for smiley in _SMILEYS:
        if text.startswith(smiley):
            return text.removeprefix(smiley).lstrip()
    small = text.casefold()
    if not small.startswith(_BEFORE) or len(small) != len(text):
        return text
    for phrase in _BEFORE:
        is_longer_word = small[len(phrase) :][:1].isalnum() and phrase[-1] < _NO_BLANKS
        if small.startswith(phrase) and not is_longer_word:
            return text[len(phrase) :].lstrip(_BEHIND)
    return text


def _without_last(text: str) -> str:
    less = text.rstrip("!")
    if less.endswith(".") and not less.endswith(".."):
        less = less[:-1]
    less = less.removesuffix(next(filter(less.endswith, _SMILEYS + _SMILEYS_TOO), ""))
    bare = less.rstrip(_TINTS)
    if bare and _is_emoji(bare[-1]):
        less = bare[:-1]
    small = less.casefold()
    if small.endswith(_AFTER) and len(small) == len(less):
        phrase = next(item for item in _AFTER if small.endswith(item))
        before = less[: -len(phrase)]
        if before[-1:] in (" ", ","):
            less = before.rstrip(" ,")
    return less.rstrip()


def _is_emoji(letter: str) -> bool:
    return letter not in DOUBTS and any(first <= letter <= last for first, last in _EMOJI)


_SECTIONS = (
    "before, plan, after, to, from, and, spoken, kind, behind, or, sorry, unfinished, is, "
    "conditional, quoting, options, this, takes back"
).split(", ")
_READ = read_sections(_FILE, _SECTIONS, lambda line: (line.lower(),))
PHRASES = {key: tuple(sorted(some, key=len, reverse=True)) for key, some in _READ.items()}
_BEFORE = tuple(map(str.casefold, PHRASES["before"]))
_AFTER = tuple(map(str.casefold, PHRASES["after"]))
_SPOKEN = dict(line.split(" = ") for line in PHRASES["spoken"])
_SIGNS = dict.fromkeys(PHRASES["to"], "→") | dict.fromkeys(PHRASES["and"], "")
_SIGNS_INSIDE = (
    *((phrase, sign) for phrase, sign in _SIGNS.items() if phrase[-1] >= _NO_BLANKS),
    *((phrase, "") for phrase in PHRASES["from"] if phrase[-1] >= _NO_BLANKS),
    *(("->", "→"), ("=>", "→"), ("&", " "), ("+", " ")),
)
