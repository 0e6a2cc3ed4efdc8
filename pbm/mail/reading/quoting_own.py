"""A mail of ours that comes back without quote marks: where it is, and what was written into it.

Outlook quotes so in plain text, and some programs set nothing above it at all. A board's mail can
still be told by its own lines: the sentences of the templates, the last row of the drawing, and
the line `State:`, which is its last.
"""

import re
from dataclasses import dataclass

from pbm.mail.reading.charsets import fold_typography
from pbm.mail.writing.template_words import template_words

_LABEL = "State:"
_ROWS = "[.#1-6/]{20,100}"
_STATE = re.compile(rf"{_LABEL} {_ROWS}(?: |$)", re.ASCII)
_STATE_PARTS = 5  # the label, rows, turn, scores, flags: over two lines where one is too long
_STATE_PART = re.compile(
    rf"{_ROWS}|[1-6]|-|[0-6](?:,[0-6]){{1,5}}"
    r"|[a-z]{3,5}(?:=[0-9+]{1,9})?(?:;[a-z]{3,5}(?:=[0-9+]{1,9})?){0,4}",
    re.ASCII,
)
# The subject, and the headlines, of which templates fix too few words.
_STARTS = re.compile(
    r"[A-Z][a-z]{1,20} Board \d{1,9}: \S"
    r"|(?:Your|[a-z][a-z0-9_-]{1,15}'s) move on board \d{1,9}(?:[.,;]|$)"
    r"|Board \d{1,9} is (?:closed\.$|over: )",
    re.ASCII,
)
_LAST_ROW = re.compile(r"I-(?: [.\w#]){5}$", re.ASCII)
_OTHERS_WORDS = re.compile(r"[a-z][a-z0-9_-]{1,15} goes on:", re.ASCII)
_MOVES = re.compile(
    r"(?:(?:The last m|All m|M)oves, by ply:|[-*·•o§]?\s{0,8}\d{1,4}\. \S)", re.ASCII
)
_SENTENCE_LINES = 8  # a paragraph of ours is on so many lines at most, wrapped narrowly


@dataclass(frozen=True)
class ReturnedMail:
    """`end` is the line below the mail; `answers` are the lines between that aren't ours, by
    the paragraphs of ours that they stand below.
    """

    end: int
    answers: tuple[tuple[int, ...], ...]


class OwnMails:
    """The lines of ours among the lines of a mail, looked up once."""

    def __init__(self, lines: list[str]) -> None:
        last = [at for at, line in enumerate(lines) if _LABEL in line]
        self._states = [at for at in last if _STATE.match(" ".join(lines[at : at + 2]).strip())]
        self._lines = lines
        self._rows: list[int] = []
        self._has_others_words = False
        if self._states:  # most mails have none of these lines, and are looked at no further
            self._look_closer()

    def _look_closer(self) -> None:
        self._lines = [fold_typography(line).strip() for line in self._lines]
        self._rows = [at for at, line in enumerate(self._lines) if "I- " in line and self._ends(at)]
        self._has_others_words = any(
            " goes on:" in line and _OTHERS_WORDS.match(line) for line in self._lines
        )

    def _ends(self, at: int) -> bool:
        return _LAST_ROW.match(self._lines[at]) is not None

    def starts(self, at: int) -> bool:
        """Does a board's mail begin with this line? It is one if its last line follows."""
        if not self._states or at >= self._states[-1]:
            return False
        return _STARTS.match(self._lines[at]) is not None or self.has(at)

    def has(self, at: int) -> bool:
        """Is this line surely one of ours, or are it and the next ones that it was wrapped to?"""
        end = at
        while end < min(at + _SENTENCE_LINES, len(self._lines)) and self._lines[end].strip():
            end += 1
        return self._below_sentences(at, end) > at

    def ends_in(self, above: list[str], at: int) -> bool:
        """Is the line at `at` the broken-off end of the ones above, a last line of ours?"""
        words = " ".join([*above, self._lines[at]]).split()
        if _LABEL not in words or not self._lines[at]:
            return False
        parts = words[words.index(_LABEL) + 1 :]
        return len(parts) < _STATE_PARTS and all(map(_STATE_PART.fullmatch, parts))

    def read(self, at: int) -> ReturnedMail | None:
        """The mail of ours that stands at `at`; None where what isn't ours can't be told from it.

        That is where another player's words stand below the drawing, or where there are two last
        lines: somebody may have made one up, so that words of theirs seem to be the answer.
        """
        if len(self._states) != 1 or self._states[0] < at or self._has_others_words:
            return None
        state = self._states[0]
        row = max((row for row in self._rows if at <= row < state), default=state)
        return ReturnedMail(self._below(state), tuple(self._answers(row + 1, state)))

    def _below(self, state: int) -> int:
        """The line below the last one of ours, which may be broken."""
        below = state + 1
        while below < len(self._lines) and self.ends_in(self._lines[state:below], below):
            below += 1
        return below

    def _answers(self, at: int, end: int) -> list[tuple[int, ...]]:
        """The lines between the drawing and the last line that aren't ours.

        All of ours there are the server's own: sentences of templates, and a list of moves.
        """
        found: list[list[int]] = [[]]
        while at < end:
            below = at
            while below < end and self._lines[below]:
                below += 1
            own = self._own_part(at, below)
            if own > at and found[-1]:
                found.append([])
            found[-1] += range(own, below)
            found[-1] += [below] if below < end and found[-1] else []
            at = below + 1
        return [tuple(lines) for lines in found if lines]

    def _own_part(self, at: int, end: int) -> int:
        """Where an answer begins in the paragraph from `at` to `end`; `end` if it is all ours.

        A list of moves is ours to its end: the rest of one that was broken reads as a move.
        """
        below = self._below_sentences(at, end)
        return end if below < end and _MOVES.match(self._lines[below]) else below

    def _below_sentences(self, at: int, end: int) -> int:
        """The line below the sentences of ours that begin at `at`; `at` if none do."""
        lines = [" ".join(line.split()) for line in self._lines[at:end]]
        ours = template_words().end(" ".join(lines))
        for line in lines:
            if ours <= 0:
                break
            at += 1
            ours -= len(line) + 1
        return at
