"""Whether the lines above and below a move speak of it: deny it, ask about it or quote it.

A move below "Hi Bob, thanks for waiting" is meant, one below "I would never play" is not.
"""

import re
from collections.abc import Sequence
from typing import Final

from pbm.commands.language.around_moves import PHRASES
from pbm.commands.sentences.answers import is_greeting
from pbm.commands.sentences.clauses import (
    ANSWER_WORDS,
    begins,
    clauses,
    has_phrase,
    small,
    words_of,
)
from pbm.commands.sentences.moves_inside import KIND
from pbm.commands.talk import TO_YOU

_MOST_BELOW: Final = 24  # lines
_LONGEST: Final = 200  # characters that are read of a line
_WRAPPED: Final = 50  # characters; a wrapped line is longer
_SENTENCE_ENDS: Final = ".,:;!?…)-"
_SENTENCES: Final = re.compile(r"(?<=[.!?…])\s+")
_FINISHED: Final = ".!?…,;)"
_IS: Final = frozenset(PHRASES["is"])
_OPEN: Final = _IS | frozenset(PHRASES["unfinished"])
_QUOTING: Final = frozenset(PHRASES["quoting"])
_DOUBTS: Final = frozenset(PHRASES["conditional"]) | ANSWER_WORDS["not"]
_ELSEWHERE: Final = _DOUBTS | _QUOTING | frozenset(PHRASES["options"])
_APOLOGIES: Final = frozenset(map(small, PHRASES["sorry"]))
_BACK: Final = ANSWER_WORDS["doubt"] | ANSWER_WORDS["no"] | ANSWER_WORDS["no alone"]


def is_in_sentence(lines: Sequence[str], index: int) -> bool:
    """Return whether the line at `index` may be inside a sentence with the lines around it."""
    above, below = _beside(lines, index)
    if not above or above[-1] in _SENTENCE_ENDS:
        return False
    negates = not ANSWER_WORDS["not"].isdisjoint(words_of(above))
    return negates or len(above) >= _WRAPPED or (below[:1].islower() and below.endswith("?"))


def is_spoken_of(lines: Sequence[str], index: int | None, *, has_words: bool = False) -> bool:
    """Return whether lines around the move at `index` deny it, ask about it, quote it or revoke it.

    With `has_words`, its line has other words, which may go on in the lines around.
    """
    if index is None:
        return False
    if is_in_sentence(lines, index) or (has_words and _is_continued(lines, index)):
        return True
    above = next((at for at in (index - 1, index - 2) if at >= 0 and lines[at].strip()), None)
    below = [line for line in lines[index + 1 :] if line.strip()][:_MOST_BELOW]
    if above is not None and _leads_to_it(lines[above], is_next=above == index - 1):
        return True
    return _goes_on(_beside(lines, index)[1]) or _revoke(below)


def _beside(lines: Sequence[str], index: int) -> tuple[str, str]:
    """Return the lines right above and right below the one at `index`, each "" if there is none."""
    above, below = lines[max(0, index - 1) : index], lines[index + 1 : index + 2]
    return "".join(above).strip(), "".join(below).strip()


def _is_continued(lines: Sequence[str], index: int) -> bool:
    """Return whether a line may be in a sentence with the lines around, or the text revokes it."""
    above, next_line = _beside(lines, index)
    below = next((line for line in lines[index + 1 :] if line.strip()), "")
    first = next(iter(clauses(below)), None)
    takes_back = first is not None and (
        not _BACK.isdisjoint(first.words[:1]) or begins(first.words, _APOLOGIES)
    )
    follows = above and above[-1] not in ".!?…,)" and not all(map(is_greeting, clauses(above)))
    return takes_back or bool(follows) or next_line[:1].islower()


def _leads_to_it(line: str, *, is_next: bool) -> bool:
    """Return whether the sentence that ends with this line has the move below it as a part."""
    last = _SENTENCES.split(line.strip()[-_LONGEST:])[-1]
    words = words_of(last)
    spoken, you = set(words), not TO_YOU.isdisjoint(words)
    if not words or all(clause.parts(KIND) is not None for clause in clauses(last)):
        return False
    if last[-1] in _FINISHED:
        asks = last[-1] == "?" or not _DOUBTS.isdisjoint(spoken)
        return is_next and asks and has_phrase(words, PHRASES["this"])
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
    said = (clause.words for clause in clauses(line) if clause.parts(KIND) is None)
    return has_phrase(words_of(line), PHRASES["takes back"]) or _BACK.issuperset(next(said, ("",)))
