"""Whether the lines above and below a move speak of it: deny it, ask about it or quote it.

A move below "Hi Bob, thanks for waiting" is meant, one below "I would never play" is not.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Final

from pbm.commands.language.around_moves import PHRASES
from pbm.commands.sentences.clauses import ANSWER_WORDS, clauses, phrase_of, words_of
from pbm.commands.sentences.moves_inside import KIND

_MOST_BELOW: Final = 24  # lines
_LONGEST: Final = 200  # characters that are read of a line
_SENTENCES: Final = re.compile(r"(?<=[.!?…])\s+")
_FINISHED: Final = ".!?…,;)"
_IS: Final = frozenset(PHRASES["is"])
_OPEN: Final = _IS | frozenset(PHRASES["unfinished"])
_QUOTING: Final = frozenset(PHRASES["quoting"])
_DOUBTS: Final = frozenset(PHRASES["conditional"]) | ANSWER_WORDS["not"]
_ELSEWHERE: Final = _DOUBTS | _QUOTING | frozenset(PHRASES["options"])
_BACK: Final = ANSWER_WORDS["doubt"] | ANSWER_WORDS["no"] | ANSWER_WORDS["no alone"]


def are_about(lines: Sequence[str], index: int | None, to_you: Collection[str]) -> bool:
    """Return whether lines around the move at `index` deny it, ask about it, quote it or revoke it.

    `to_you` are the words by which the opponent is spoken to.
    """
    if index is None:
        return False
    above = next((at for at in (index - 1, index - 2) if at >= 0 and lines[at].strip()), None)
    below = [at for at in range(index + 1, len(lines)) if lines[at].strip()][:_MOST_BELOW]
    if above is not None and _leads_to_it(lines[above], to_you, is_next=above == index - 1):
        return True
    continued = below[:1] == [index + 1] and _goes_on(lines[index + 1].strip())
    return continued or _revoke([lines[at] for at in below])


def _leads_to_it(line: str, to_you: Collection[str], *, is_next: bool) -> bool:
    """Return whether the sentence that ends with this line has the move below it as a part."""
    last = _SENTENCES.split(line.strip()[-_LONGEST:])[-1]
    words = words_of(last)
    spoken, you = set(words), not set(to_you).isdisjoint(words)
    if not words or all(clause.parts(KIND) is not None for clause in clauses(last)):
        return False
    if last[-1] in _FINISHED:
        asks = last[-1] == "?" or not _DOUBTS.isdisjoint(spoken)
        return is_next and asks and _has(phrase_of(last), PHRASES["this"])
    elsewhere = not _ELSEWHERE.isdisjoint(spoken) and not _said_by_oneself(words)
    if last[-1] == ":":
        return elsewhere or you
    if any(f" {' '.join(words)}".endswith(f" {phrase}") for phrase in PHRASES["before"]):
        return elsewhere or you
    return words[-1] in _OPEN or (is_next and elsewhere)


def _said_by_oneself(words: Sequence[str]) -> bool:
    """Return whether the only word for a quotation stands behind "I": "as I said"."""
    at = next((at for at, word in enumerate(words) if word in _ELSEWHERE), 0)
    return words[at] in _QUOTING and words[at - 1 : at] == ["i"]


def _goes_on(line: str) -> bool:
    """Return whether a line right below a move goes on in its sentence: "is not what I'd do"."""
    words = words_of(line)
    if not words:
        return "?" in line
    joins = words[0] in _IS or not _DOUBTS.isdisjoint(words)
    return line[0].islower() and joins


def _revoke(below: Sequence[str]) -> bool:
    """Return whether the lines below a move take it back, or name an alternative."""
    first = words_of(below[0]) if below else []
    if first and (first[0] in PHRASES["or"] or first[0] in PHRASES["options"]):
        return True
    return any(_takes_back(line[:_LONGEST]) for line in below)


def _takes_back(line: str) -> bool:
    unsure = islice(_clauses_of(line), 1)
    return _has(phrase_of(line), PHRASES["takes back"]) or any(
        all(word in _BACK for word in words) for words in unsure
    )


def _clauses_of(line: str) -> Iterator[tuple[str, ...]]:
    return (clause.words for clause in clauses(line) if clause.parts(KIND) is None)


def _has(text: str, phrases: Collection[str]) -> bool:
    spaced = f" {text} "
    return any(f" {phrase} " in spaced for phrase in phrases)
