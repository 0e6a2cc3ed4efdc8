"""Moves beside other words, in their line and in the lines around.

A line with one move and only kind words ("Hi Bob, K-R - good luck!") counts as that move. Any other
sentence perhaps only mentions the move, so the writer is asked whether to play it. So it is if the
lines above or below deny the move, ask about it or quote it: a move below "Hi Bob, thanks for
waiting" is meant, one below "I would never play" is not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from pbm.commands.language.around_moves import DOUBTS, PHRASES
from pbm.commands.sentences.answers import is_greeting
from pbm.commands.sentences.clauses import (
    ANSWER_WORDS,
    LONGEST,
    SENTENCE_WORDS,
    Clause,
    begins,
    clauses,
    has_phrase,
    small,
    words_of,
)
from pbm.mail.reading.charsets import fold_typography
from pbm.mail.reading.quoting import is_footer
from pbm.mail.reading.signatures import CLOSINGS
from pbm.play.game_words import is_bare_move, mentions_place
from pbm.rules.contract import Game

_LONGEST_LINE = 400  # characters
_LONGEST_MOVE = 5  # words
_MOST_STARTS = 12  # words of a line that may begin a move
_AROUND_MOVES = " \t()[]{}<>\"'*_`.,;:!?…"
_MARKS = ".,;:!…()[]-\u2013\u2014\n"
_ENDS = " \t,;:-\u2013\u2014([{<\"'*_`"
_QUESTION_MARKS = "?？؟;՞"
_LONGEST_APOLOGY = 14  # words
_MOST_NAMES = 2
_WRITTEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")

_APOLOGIES = frozenset(map(small, PHRASES["sorry"]))
_BEFORE = frozenset(map(small, PHRASES["before"]))
_GREETINGS = ANSWER_WORDS["greeting"] - {"lieber"}  # "rather", too
_TO_SOMEBODY = CLOSINGS.union(map(str.casefold, _GREETINGS))
KIND = (_TO_SOMEBODY | _GREETINGS | ANSWER_WORDS["polite"] | _APOLOGIES).union(
    *(map(small, PHRASES[name]) for name in ("before", "after", "kind"))
)
_KIND_BEHIND = KIND.union(map(small, PHRASES["behind"]))
_DOUBTFUL = frozenset().union(*(ANSWER_WORDS[name] for name in ("doubt", "not", "no", "no alone")))
_OR = frozenset(PHRASES["or"])
_TO_YOU = SENTENCE_WORDS["to you"]
_MOST_BELOW = 24  # lines
_WRAPPED = 50  # characters; a wrapped line is longer
_SENTENCE_ENDS = ".,:;!?…)-"
_SENTENCES = re.compile(r"(?<=[.!?…])\s+")
_FINISHED = ".!?…,;)"
_IS = frozenset(PHRASES["is"])
_OPEN = _IS | frozenset(PHRASES["unfinished"])
_QUOTING = frozenset(PHRASES["quoting"])
_DOUBTS = frozenset(PHRASES["conditional"]) | ANSWER_WORDS["not"]
_ELSEWHERE = _DOUBTS | _QUOTING | frozenset(PHRASES["options"])
_BACK = ANSWER_WORDS["doubt"] | ANSWER_WORDS["no"] | ANSWER_WORDS["no alone"]


@dataclass(frozen=True)
class MoveInside:
    text: str
    before: str
    after: str
    is_only: bool = True  # the line has no other move

    @property
    def words(self) -> str:
        """The other words, without a footer and without the punctuation beside the move."""
        before = self.before.rstrip(_ENDS)
        after = self.after.lstrip(_AROUND_MOVES + _MARKS)
        return " ".join(filter(None, (before, "" if is_footer(after) else after.rstrip())))

    @cached_property
    def is_plain(self) -> bool:
        """Whether the words around the move are only kind, so that the move is surely meant."""
        before, after = self.before.rstrip(), self.after.strip()
        after = "" if is_footer(after.lstrip(_AROUND_MOVES)) else after
        if max(len(before), len(after)) > LONGEST or self.is_doubted or not self.is_only:
            return False
        above, below = _spoken(before), _spoken(after)
        if above and before[-1] not in _MARKS:
            above[-1].is_joined = True
        if below and after[0] not in _MARKS:
            below[0].is_joined = True
        announced = bool(above) and above[-1].clause.parts(_BEFORE) is not None
        return _are_kind(above, KIND, sorry=announced) and _are_kind(below, _KIND_BEHIND)

    @property
    def is_doubted(self) -> bool:
        return any(mark in DOUBTS or mark in _QUESTION_MARKS for mark in self.before + self.after)

    @property
    def is_planned(self) -> bool:
        """Whether words such as "I will" announce the move."""
        return has_phrase(words_of(self.before), PHRASES["plan"])

    @property
    def asks_which(self) -> bool:
        """Whether the line asks which of several moves is better."""
        return self.is_doubted and not _OR.isdisjoint(words_of(self.before + " " + self.after))


def moves_inside(line: str, game: Game) -> tuple[MoveInside, ...]:
    if len(line) > _LONGEST_LINE or not mentions_place(line):
        return ()
    plain = fold_typography(line)
    places = tuple(_places(plain, game))
    return tuple(
        MoveInside(text, plain[:start], plain[end:], is_only=len(places) == 1)
        for start, end, text in places
    )


def _places(line: str, game: Game) -> Iterator[tuple[int, int, str]]:
    """Yield the start and the end index of each move in a line, and its text."""
    words = [found.span() for found in re.finditer(r"\S+", line)]
    places = (at for at, (start, end) in enumerate(words) if mentions_place(line[start:end]))
    free = 0
    for at in islice(places, _MOST_STARTS):
        for last in reversed(range(at, min(at + _LONGEST_MOVE, len(words)))) if at >= free else ():
            start, end = words[at][0], words[last][1]
            text = line[start:end]
            start += len(text) - len(text.lstrip(_AROUND_MOVES))
            end -= len(text) - len(text.rstrip(_AROUND_MOVES))
            text = line[start:end]
            if is_bare_move(text, game):
                before = line[:start].split()[-2:]  # "from K to L,M" is one move
                joined = f"{before[0].lstrip(_AROUND_MOVES)}-{text}" if len(before) > 1 else ""
                if (
                    before[-1:]
                    and small(before[-1]) in PHRASES["to"]
                    and is_bare_move(joined, game)
                ):
                    start, text = line.rindex(before[0], 0, start), joined
                yield start, end, text
                free = last + 1
                break


@dataclass
class _Spoken:
    clause: Clause
    written: Sequence[str]  # its words with their capitals
    is_joined: bool = False  # no punctuation between clause and move


def _spoken(text: str) -> list[_Spoken]:
    found, start = [], 0
    for clause in clauses(text):
        found.append(_Spoken(clause, _WRITTEN.findall(text[start : clause.end])))
        start = clause.end
    return found


def _are_kind(found: Sequence[_Spoken], phrases: frozenset[str], *, sorry: bool = False) -> bool:
    """Return whether clauses say only kind things, or with `sorry` also a short apology."""
    may_be_name = False
    for item in found:
        words, clause = tuple(map(str.casefold, item.clause.words)), item.clause
        kind = clause.parts(phrases) is not None
        greets = begins(words, _TO_SOMEBODY) and _names_somebody(item)
        name = may_be_name and not item.is_joined and len(words) == 1 and _is_name(item.written)
        excused = sorry and begins(clause.words, _APOLOGIES) and len(words) <= _LONGEST_APOLOGY
        if not (kind or greets or name or (excused and not item.is_joined)):
            return False
        may_be_name = greets or (kind and begins(words, _TO_SOMEBODY))
    return True


def _names_somebody(item: _Spoken) -> bool:
    """Return whether a greeting or a farewell ends with a name, which has one or two words."""
    words = item.clause.words
    sizes = (size for size in (3, 2) if " ".join(words[:size]).casefold() in _TO_SOMEBODY)
    rest = words[next(sizes, 1) :]
    if not rest or not _DOUBTFUL.isdisjoint(rest):
        return False
    one_name = len(rest) == 1 and not item.is_joined
    return one_name or (len(rest) <= _MOST_NAMES and _is_name(item.written[-len(rest) :]))


def _is_name(written: Sequence[str]) -> bool:
    return bool(written) and all(word[:1].isupper() for word in written)


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
    last = _SENTENCES.split(line.strip()[-LONGEST:])[-1]
    words = words_of(last)
    spoken, you = set(words), not _TO_YOU.isdisjoint(words)
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
    return any(_takes_back(line[:LONGEST]) for line in below)


def _takes_back(line: str) -> bool:
    said = (clause.words for clause in clauses(line) if clause.parts(KIND) is None)
    return has_phrase(words_of(line), PHRASES["takes back"]) or _BACK.issuperset(next(said, ("",)))
