"""Moves in a game's own form inside a line that has other words, too.

A line with one such move and only kind words ("Hi Bob, K-R - good luck!") is that move. Any other
sentence may be about the move, so its writer is asked.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from pbm.commands.language.around_moves import DOUBTS, PHRASES
from pbm.commands.sentences.clauses import ANSWER_WORDS, Clause, begins, clauses, small
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
_ADDRESSED = 3  # words at most of a greeting or a farewell with a name
_LONGEST_APOLOGY = 14  # words

_APOLOGIES = frozenset(map(small, PHRASES["sorry"]))
_TO_SOMEBODY = CLOSINGS.union(map(str.casefold, ANSWER_WORDS.greeting))
_KIND = _TO_SOMEBODY | ANSWER_WORDS.polite.union(
    *(map(small, PHRASES[name]) for name in ("before", "after", "kind"))
)
_DOUBTFUL = ANSWER_WORDS.doubt | ANSWER_WORDS.not_


@dataclass(frozen=True)
class MoveInside:
    """A move and the other words of its line."""

    text: str
    before: str
    after: str

    @property
    def words(self) -> str:
        """The other words, without the marks next to the move and without a program's footer."""
        before = self.before.rstrip(_ENDS)
        after = self.after.lstrip(_AROUND_MOVES + _MARKS)
        return " ".join(filter(None, (before, "" if is_footer(after) else after.rstrip())))

    @cached_property
    def is_plain(self) -> bool:
        """Whether the other words are greetings, thanks and the like, and leave no doubt."""
        if any(mark in DOUBTS or mark in "?？" for mark in self.before + self.after):
            return False
        before, after = self.before.rstrip(), self.after.strip()
        after = "" if is_footer(after.lstrip(_AROUND_MOVES)) else after
        above, below = list(clauses(before)), list(clauses(after))
        joined = [above[-1]] if above and before[-1] not in _MARKS else []
        joined += [below[0]] if below and after[0] not in _MARKS else []
        return _are_kind(above, joined) and _are_kind(below, joined)


def moves_inside(line: str, game: Game) -> tuple[MoveInside, ...]:
    """The moves in a line that has other words, too; a move may not be possible."""
    if len(line) > _LONGEST_LINE or not mentions_place(line):
        return ()
    plain = fold_typography(line)
    return tuple(
        MoveInside(plain[start:end], plain[:start], plain[end:])
        for start, end in _places(plain, game)
    )


def _places(line: str, game: Game) -> Iterator[tuple[int, int]]:
    """Where moves begin and end."""
    words = [found.span() for found in re.finditer(r"\S+", line)]
    places = (at for at, (start, end) in enumerate(words) if mentions_place(line[start:end]))
    free = 0
    for at in islice(places, _MOST_STARTS):
        for last in reversed(range(at, min(at + _LONGEST_MOVE, len(words)))) if at >= free else ():
            start, end = words[at][0], words[last][1]
            text = line[start:end]
            start += len(text) - len(text.lstrip(_AROUND_MOVES))
            end -= len(text) - len(text.rstrip(_AROUND_MOVES))
            if is_bare_move(line[start:end], game):
                yield start, end
                free = last + 1
                break


def _are_kind(found: Sequence[Clause], joined: Sequence[Clause]) -> bool:
    """Whether clauses are kind words; those in `joined` are next to the move without a mark."""
    may_be_name = False
    for clause in found:
        name = may_be_name and len(clause.words) < _ADDRESSED
        folded = tuple(map(str.casefold, clause.words))
        to_somebody = begins(folded, _TO_SOMEBODY) and len(folded) <= _ADDRESSED
        kind = clause.parts(_KIND) is not None
        sorry = clause not in joined and begins(clause.words, _APOLOGIES)
        sorry = sorry and len(clause.words) <= _LONGEST_APOLOGY
        doubtful = not (kind or sorry or _DOUBTFUL.isdisjoint(clause.words))
        if doubtful or not (kind or to_somebody or sorry or name):
            return False
        may_be_name = to_somebody
    return True
