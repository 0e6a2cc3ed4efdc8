"""Finds unmarked quotations of our mails, as Outlook makes them, and answers written into them.

Our mail about a board is recognised by sentences of the templates, and by its last line, which
begins with `State:`. From that line the game can draw the board again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, zip_longest

from pbm.mail.reading.charsets import fold_typography
from pbm.mail.reading.quoting_marks import LABEL, is_marked
from pbm.resources import game_templates, resource_path
from pbm.rules.contract import SHORTEST_STATE
from pbm.rules.registry import read_state

_COMMENT = re.compile(r"\{#.*?#\}|^\{\{[^\n]* \| subject \}\}\n", re.DOTALL | re.MULTILINE)
_FILLED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_CONSTANT = re.compile(r'"([^"\n]*)"')
_SENTENCE_END = (".", "!", "?", ":", '"')
_REST_OF_SENTENCE = re.compile(r"[^.!?:]{1,100}[.!?:](?= |$)")
_WORD = re.compile(r"[A-Za-z]{2,}", re.ASCII)
_FEWEST_WORDS = 2
_SURE_WORDS = 3  # too many to occur together by chance
_LONGEST = 1_000
_SHARE = 0.5


class TemplateWords:
    """The fixed words of templates, found fast in a text with single blanks between words."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._by_word: dict[str, list[str]] = {}
        self._sure: set[str] = set()
        for row in sorted({row for source in sources for row in _rows(source)}):
            words = _WORD.findall(row)
            if len(words) >= _FEWEST_WORDS:
                self._by_word.setdefault(max(words, key=len), []).append(row)
            if len(words) >= _SURE_WORDS:
                self._sure.add(row)

    def end(self, text: str) -> int:
        """Return the index in `text` at which the words of our templates end.

        Return 0 if `text` does not begin with such words.
        """
        covered = [False] * min(len(text), _LONGEST)
        is_sure = False
        words = dict.fromkeys(_WORD.findall(text[:_LONGEST]))
        for row in chain.from_iterable(self._by_word.get(word, ()) for word in words):
            at = text.find(row, 0, _LONGEST)
            while at >= 0:
                covered[at : at + len(row)] = [True] * len(row)
                is_sure = is_sure or row in self._sure or row == text
                at = text.find(row, at + len(row), _LONGEST)
        if not is_sure:
            return 0
        end = len(covered) - covered[::-1].index(True)
        if sum(covered) < _SHARE * end:
            return 0
        rest = _REST_OF_SENTENCE.match(text, end)
        return rest.end() if rest and not text[:end].endswith(_SENTENCE_END) else end


@cache
def template_words() -> TemplateWords:
    folders = [resource_path("templates"), *game_templates().values()]
    files = sorted({file for folder in folders for file in folder.rglob("*.txt")})
    return TemplateWords(file.read_text(encoding="utf-8") for file in files)


def _rows(source: str) -> Iterator[str]:
    source = _COMMENT.sub("", source).replace("<<", "").replace(">>", "")
    for filling in _FILLED.findall(source):
        yield from (" ".join(text.split()) for text in _CONSTANT.findall(filling))
    for text in _FILLED.sub("\n", source).split("\n"):
        yield " ".join(text.split())


_STATE = re.compile(rf"{LABEL} [!-~]{{{SHORTEST_STATE},}}(?: |$)", re.ASCII)
_STATE_LINES = 3  # the most lines into which a state line is folded or broken
# The subject and the headlines, which have too few fixed words in the templates.
_STARTS = re.compile(
    r"[A-Z][A-Za-z0-9 -]{1,29} Board \d{1,9}: \S"
    r"|(?:(?:Your|[a-z][a-z0-9_-]{1,15}'s) move|(?:[a-z][a-z0-9_-]{1,15} moved|Reminder):"
    r" (?:your|[a-z][a-z0-9_-]{1,15}'s) turn) on board \d{1,9}(?:[.,;]|$)"
    r"|Board \d{1,9} is (?:closed\.$|over: )",
    re.ASCII,
)
_STANDING = re.compile(r"You are |Scores: ", re.ASCII)
_SIGN = re.compile(r"You are \S \(", re.ASCII)  # has too few fixed words, too
_OTHERS_WORDS = re.compile(r"[a-z][a-z0-9_-]{1,15} goes on:", re.ASCII)
_KEPT = re.compile(r"You noted|Your plan\b")  # words of the reader's own follow
_MOVES = re.compile(
    r"(?:(?:The last m|All m|M)oves(?: so far|, by ply)?:"
    r"|[-*·•o§]?\s{0,8}(?:(?:\d{1,4}(?: \(#\d{1,4}\))?|#\d{1,4})\.|last(?: \d)?:) \S)",
    re.ASCII,
)
# Forms of our links after conversion from HTML to text: "help<mailto:...>" and the like.
_LINK = re.compile(r"[<\[(](?:mailto:|https?://)[^<>()\[\]\s]{1,1500}[>\])]", re.ASCII)
_PAGE_LINK = re.compile(r"https?://\S{1,190}#1\.", re.ASCII)  # to the board page
_MARK = re.compile(
    r"(?:[ \t]{0,3}[^\w\s\"'|]{1,2}|[ \t]{0,8}[A-Za-z.']{1,12}>){1,3}[ \t]{0,2}", re.ASCII
)
_SENTENCE_LINES = 8  # the most lines of one of our paragraphs, wrapped narrowly


def holds_ours(lines: Sequence[str]) -> bool:
    mails = OwnMails(list(lines))
    return any(_STARTS.match(line.strip()) or mails.has(at) for at, line in enumerate(lines))


def ours_is_quoted(marked: Iterable[str]) -> bool:
    """Return whether quoted lines, with their marks, seem to be our mail about a board."""
    lines = [_MARK.sub("", line, count=1) for line in marked]
    below = lines[1:]
    return _STARTS.match(lines[0] if lines else "") is not None or any(
        map(_STATE.match, map(" ".join, zip_longest(below, below[1:], fillvalue="")))
    )


class OwnMails:
    def __init__(self, lines: list[str]) -> None:
        last = [at for at, line in enumerate(lines) if LABEL in line]
        self._states = [at for at in last if _STATE.match(" ".join(lines[at : at + 2]).strip())]
        self._lines = lines
        self._has_others_words = False
        if self._states:  # most mails have none, and need no further search
            self._lines = [_LINK.sub("", fold_typography(line)).strip() for line in lines]
            self._has_others_words = any(
                " goes on:" in line and _OTHERS_WORDS.match(line) for line in self._lines
            )

    def starts(self, at: int) -> bool:
        """Return whether our mail about a board begins at `at`, with its `State:` line below."""
        if not self._states or at >= self._states[-1]:
            return False
        return _STARTS.match(self._lines[at]) is not None or self.has(at)

    def has(self, at: int) -> bool:
        """Return whether the paragraph at `at` surely begins with a sentence of ours."""
        end = at
        for line in self._lines[at : at + _SENTENCE_LINES]:
            if not line.strip() or (end > at and is_marked(line)):
                break
            end += 1
        return self._below_sentences(at, end) > at

    def ends_in(self, above: list[str], at: int) -> bool:
        """Return whether line `at` continues a folded `State:` line that begins in `above`."""
        words = " ".join(above).split()
        if LABEL not in words or not self._lines[at]:
            return False
        state = words[words.index(LABEL) + 1 :]
        for line in self._lines[at : at + _STATE_LINES - 1]:
            state += line.split()
            if read_state(" ".join(state)):
                return True
        return False

    def read(self, at: int) -> tuple[int, list[list[int]]]:
        """Find the end of our mail that is quoted at index `at`, and the lines added to that mail.

        Return the index of the first line below the quoted mail, and the indexes of the added
        lines. Lines added at one place are a group. Return `at` and no groups if comments of other
        players are quoted, as they look like added lines. Do the same if there are several `State:`
        lines, or none below `at`.
        """
        if len(self._states) != 1 or self._states[0] < at or self._has_others_words:
            return at, []
        state = self._states[0]
        below = state + 1  # the line below our last one, which may be broken
        while below < len(self._lines) and self.ends_in(self._lines[state:below], below):
            below += 1
        first, end = self._rows(at, state, below)
        answers = self._answers(self._asked(at, first), first) + self._answers(end, state)
        return below, answers

    def _rows(self, at: int, state: int, below: int) -> tuple[int, int]:
        """Return the indexes of the drawing's first line and of the line below the drawing.

        If there is no drawing, both are `state`. If the state or the drawing seems broken, or if
        comments of other players may be above, the first index is `at` instead. Then no line above
        the drawing counts as added.
        """
        words = " ".join(self._lines[state:below]).split()
        position = read_state(" ".join(words[words.index(LABEL) + 1 :]))
        rows = [row.split() for row in position.diagram()] if position else []
        for row in range(state - 1, at - 1, -1):
            if rows and self._lines[row].split() == rows[-1]:
                first = max(at, row + 1 - len(rows))
                whole = [line.split() for line in self._lines[first : row + 1]] == rows
                return (first if whole else at), row + 1
        above = " ".join(" ".join(self._lines[at:state]).split())
        unsure = not rows or " goes on:" in above or any(" ".join(row) in above for row in rows)
        return (at if unsure else state), state

    def _asked(self, at: int, drawing: int) -> int:
        """Return the index of our paragraph that asks for a move, or `drawing` without one."""
        stands = [line for line in range(at, drawing) if _STANDING.match(self._lines[line])]
        if not stands:
            return drawing
        below = stands[-1]  # other players' words are only above this line
        while below < drawing and self._lines[below]:
            below += 1
        return next((line for line in range(below, drawing) if self.has(line)), drawing)

    def _answers(self, at: int, end: int) -> list[list[int]]:
        """Return the indexes of lines added to our mail. Lines added at one place are a group."""
        found: list[list[int]] = [[]]
        is_kept = False
        while at < end:
            below = at
            while below < end and self._lines[below]:
                below += 1
            own = self._below_sentences(at, below)
            is_kept = _KEPT.match(self._lines[at]) is not None if own > at else is_kept
            if is_kept:
                own = below
            if own < below and any(
                it.match(self._lines[own]) for it in (_MOVES, _SIGN, _PAGE_LINK)
            ):
                own = below  # the rest of a broken line: in a list of moves it would read as one
            if own > at and found[-1]:
                found.append([])
            found[-1] += range(own, below)
            found[-1] += [below] if below < end and found[-1] else []
            at = below + 1
        return [lines for lines in found if lines]

    def _below_sentences(self, at: int, end: int) -> int:
        """Return the index below sentences of our templates at `at`, or `at` if there are none."""
        lines = [" ".join(line.split()) for line in self._lines[at:end]]
        ours = template_words().end(" ".join(lines))
        for line in lines:
            if ours <= 0:
                break
            at += 1
            ours -= len(line) + 1
        return at
