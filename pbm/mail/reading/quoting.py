"""Finds the author's own words in a mail, without quotations, forwarded mails and signatures.

Most mail programs mark quoted lines with `>`. Others only put a line or a block of header fields
above the quotation. Lines are classified one by one, from the top, with bounded work for each.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, takewhile

from pbm.mail.reading.htmltext import SIGNATURE
from pbm.mail.reading.quoting_marks import (
    PHRASES,
    attribution_end,
    field_block_end,
    field_names,
    is_greeting,
    is_left_out,
    is_name,
    lesser_marked,
    next_words,
)
from pbm.mail.reading.quoting_own import OwnMails, ours_is_quoted
from pbm.mail.reading.signatures import is_fence, is_signature

_LONGEST_MARK = 120
_LONGEST_FOOTER = 200
_MOST_FENCES, _FENCED_LINES = 10, 20
_BETWEEN_LINES = 20
_LONG_LINE = 45
_FULL_LINE = 55
_WIDEST_LINE = 80

# `| ` marks comments in our own mails; S-nail marks quoted lines with ` |`; a few programs put a
# name before the `>`, others write it as an entity, or full-width.
_QUOTED = re.compile(
    r"[ \t\u00a0]{0,8}(?:>|[A-Za-z]{1,12}>(?:[ >]|$)|&gt;|＞|» )|\|(?:[ \u00a0]|$)|[ \t]{1,8}\|"
)
_RULE = re.compile(r"_{20,}$", re.ASCII)
_SIGNATURE = re.compile(r"(?:--|__+|[\u2013\u2014]{1,2})$")
_DASHES = "-=*_\u2010\u2011\u2012\u2013\u2014\u2015\u2500"
_ROW = re.compile(r"[-=~*_+#^<>]+$")
_BOX = re.compile(r"\+[-=]{4,}\+$")
_DASHED = re.compile(rf"[{re.escape(_DASHES)}]{{2,}}(.*)")
_AROUND_MARKS = " \u00a0<>-=*_:：\u2010\u2011\u2012\u2013\u2014\u2015\u2500"
# A link before a footer, left of a picture.
_LINK_BEFORE = re.compile(r"^ {0,8}<https?://[^<>\s]{1,300}> ")
_ORIGINAL = frozenset(PHRASES["original"])
_FORWARDED = frozenset(PHRASES["forwarded"])
# A test of the first characters saves most lines a comparison with five hundred beginnings.
_HEAD = min(map(len, PHRASES["footer start"]))
_FOOTER_HEADS = frozenset(start[:_HEAD] for start in PHRASES["footer start"])
_AROUND_FOOTERS = " \t\u00a0-*_<>().。"
_SENTENCE_ENDS = (".", "!", "?", "…")
_PGP_BEGINS = "-----BEGIN PGP "
_PGP = re.compile(
    rf"{_PGP_BEGINS}(SIGNED MESSAGE|SIGNATURE|PUBLIC KEY BLOCK|MESSAGE)-----$", re.ASCII
)
# The remains of a cut signature, and mutt's note on one.
_PGP_REST = re.compile(
    r"-----END PGP [A-Z ]{1,30}-----$|\[-- .{1,100} --\]$|gpg: (?:Good|Signature) "
)
_BREAKS_WORD = re.compile("[a-z0-9][-\u2010-\u2014]$", re.ASCII | re.IGNORECASE)  # or a move
_COMMENT_OF_OURS = re.compile(r"[> ]{1,8}\| ")
# Direction marks, which programs put around right-to-left text, and other invisible characters.
# They are dropped at the ends of a line only; within it they are the writer's.
_INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u2060\u2063\u2066\u2067\u2068\u2069\ufeff"
_ENDS = _INVISIBLE + "".join(char for char in map(chr, range(0x3001)) if char.isspace())
# For recognition invisible characters are dropped, and the Turkish capital, which would fold to two
# characters, is replaced.
_UNSEEN = dict.fromkeys(map(ord, _INVISIBLE)) | {ord("İ"): "I"}


@dataclass(frozen=True)
class OwnWords:
    """The lines that the author wrote for this mail, without blank lines at both ends."""

    lines: tuple[str, ...] = ()
    # The first line below each quotation that a blank line follows; without a blank line it may be
    # the end of a quoted line.
    below_quotes: tuple[int, ...] = ()
    signature: tuple[str, ...] = ()  # set apart by HTML or a mark such as `-- `


def find_own_words(text: str) -> OwnWords:
    lines = text.split("\n")
    if ">From " in text:
        lines = _without_mbox(lines)
    return _Cleaning(_undashed(lines) if _PGP_BEGINS in text else lines).run()


class _Cleaning:
    def __init__(self, lines: list[str]) -> None:
        self._lines = [line.rstrip() if line.isascii() else _trimmed(line) for line in lines]
        # For recognition, without invisible characters.
        self._plain = [
            line if line.isascii() else line.translate(_UNSEEN).rstrip() for line in self._lines
        ]
        self._quoted = [
            line.startswith(">") or _QUOTED.match(line) is not None for line in self._plain
        ]
        for at in lesser_marked(self._plain):
            self._quoted[at] = True
        # Quoted, but not with `|`, with which our own mails mark comments.
        self._marked = [
            quoted and not line.startswith("|")
            for line, quoted in zip(self._plain, self._quoted, strict=True)
        ]
        self._next = next_words(self._plain)
        self._names = field_names(self._plain)
        self._ours = OwnMails(self._plain)
        self._said: list[str] = []
        self._below_quotes: list[int] = []
        self._is_below_quote = False
        self._in_signature = False
        self._has_footer = False
        self._signature: list[str] = []
        self._fences = 0  # number of fences checked

    def run(self) -> OwnWords:
        at = 0
        while at < len(self._lines):
            at = self._read(at)
        while self._said and not self._said[-1]:
            self._said.pop()
        if self._said and self._said[0][:1] == " " != self._said[0][1:2]:
            self._said[0] = self._said[0][1:]  # Yahoo begins every text with a blank line
        return OwnWords(tuple(self._said), tuple(self._below_quotes), tuple(self._signature))

    def _read(self, at: int) -> int:
        """Read the line at index `at`; return the index of the next line to read."""
        if self._quoted[at]:
            self._in_signature = False
            while at < len(self._quoted) and self._quoted[at]:
                self._is_below_quote = self._marked[at]
                at += 1
            return at
        line = self._plain[at].strip()
        if not line:
            self._say("")
            return at + 1
        if self._lines[at].startswith(SIGNATURE):
            self._signature.append(line)
            return at + 1
        if _is_forward_mark(line):
            return len(self._lines)
        if self._ours.starts(at):
            return self._unmarked(at)
        if (end := self._introduction(at)) > at:
            return self._between(at, end) or self._below(end)
        if _PGP_REST.match(line):
            return at + 1
        if (pgp := _PGP.match(line)) is not None:
            return self._skip_pgp(at, pgp[1])
        self._read_own(at, line)
        return at + 1

    def _read_own(self, at: int, line: str) -> None:
        if _SIGNATURE.match(line) or (is_fence(line) and self._is_above_signature(at)):
            self._in_signature = True
            self._has_footer = False
        elif is_footer(line):
            while self._said and _ROW.match(self._said[-1]):
                self._said.pop()  # the row above it
            # Words that stand alone below a phone's footer are an answer.
            self._in_signature = self._in_signature or bool(self._said)
            self._has_footer = True
        elif self._is_residue(at):
            self._quoted[at] = True
        elif not self._in_signature:
            if self._is_below_quote and not self._quoted[at - 1]:
                self._below_quotes.append(len(self._said))
            self._is_below_quote = False
            self._say(self._lines[at])
        elif not self._has_footer:
            self._signature.append(line)

    def _is_above_signature(self, at: int) -> bool:
        if not any(self._said) or self._fences == _MOST_FENCES:
            return False
        self._fences += 1
        below: list[str] = []
        for line_at in range(at + 1, min(at + _FENCED_LINES, len(self._lines))):
            if self._quoted[line_at]:
                break
            line = self._plain[line_at].strip()
            if line and self._introduction(line_at) > line_at:
                break
            if line and not is_fence(line):
                below.append(line)
        return is_signature(below)

    def _say(self, line: str) -> None:
        if line:
            self._signature.clear()
        if line or (self._said and self._said[-1]):
            self._said.append(line)

    def _is_residue(self, at: int) -> bool:
        """Return whether line `at` belongs to the quotation beside it, but has no mark `>`."""
        is_above = at + 1 < len(self._lines) and self._quoted[at + 1]
        line = self._plain[at].strip()
        if not (at and self._quoted[at - 1]):
            return is_above and _BOX.match(line) is not None
        if _BOX.match(line) or (is_above and is_left_out(line)):
            return True
        if self._ours.ends_in(self._plain[max(0, at - 2) : at], at):
            return True
        above = self._plain[at - 1]
        if _BREAKS_WORD.search(above) and line[0].isalnum():
            return True
        if not is_above:
            return False
        first_word = self._plain[at].split(maxsplit=1)[0]
        blanks = 2 if "  " in above.lstrip("> ") else 1  # two stand between moves in our lists
        is_full = len(above) + blanks + len(first_word) > max(self._quoted_width, _FULL_LINE)
        fits = _LONG_LINE <= len(above) <= self._quoted_width
        # In a comment another player may have chosen the end of the sentence and the text after it.
        may_go_on = not above.endswith(_SENTENCE_ENDS) or _COMMENT_OF_OURS.match(above) is not None
        return fits and is_full and may_go_on

    @cached_property
    def _quoted_width(self) -> int:
        # A line of one word cannot have been broken: it may be wider than the others.
        lines = (line for line in compress(self._plain, self._quoted) if " " in line.lstrip("> |"))
        widths = map(len, lines)
        return max((width for width in widths if width <= _WIDEST_LINE), default=0)

    def _introduction(self, at: int) -> int:
        """Return the index below an introduction ("On … wrote:"), or `at` if none begins there."""
        line = self._plain[at].strip()
        dashed = _dashed_words(line)
        if dashed in _ORIGINAL or _RULE.match(line):
            return at + 1
        end = self._heading(at)
        if end == at and (dashed or _DASHED.match(line)):
            # An unknown separator, or a row of dashes, above an introduction.
            below = self._next[at + 1]
            end += below < len(self._lines) and self._heading(below) > below
        return end

    def _heading(self, at: int) -> int:
        return field_block_end(self._plain, self._names, self._next, at) or self._line_above(at)

    def _line_above(self, at: int) -> int:
        """Return the index below the introduction of a quotation at `at`, such as "On … wrote:".

        Return `at` if no introduction begins there.
        """
        end = attribution_end(self._plain, self._marked, self._next, at)
        if end == at and self._is_marked_below(at) and is_name(self._plain[at].strip()):
            return at + 1
        return end

    def _is_marked_below(self, at: int) -> bool:
        below = self._next[at + 1]
        return below < len(self._marked) and self._marked[below]

    def _between(self, at: int, end: int) -> int:
        """Look at the first line below an introduction ("On … wrote:") from `at` to `end`.

        If this line is the author's own, or notes an omission, return the next index to read.
        Otherwise return 0.
        """
        between = self._next[end]
        if between >= len(self._plain) or self._quoted[between] or self._line_above(at) != end:
            return 0
        line, is_alone = self._plain[between].strip(), self._is_marked_below(between)
        if is_alone and is_left_out(line):
            return self._next[between + 1]
        # A greeting below the author's words belongs to an unmarked quotation.
        greets = is_alone and is_greeting(line) and not any(self._said)
        return between if greets or self._is_above_ours(between) else 0

    def _is_above_ours(self, at: int) -> bool:
        """Return whether the first quotation below `at` has marks `>` and is our own mail."""
        end = min(at + _BETWEEN_LINES, len(self._lines))
        quote = next((below for below in range(at, end) if self._quoted[below]), at)
        if quote == at or not self._marked[quote]:
            return False
        whole = takewhile(lambda below: self._quoted[below], range(quote, len(self._lines)))
        is_ours = ours_is_quoted(self._plain[below] for below in whole)
        return is_ours and not OwnMails(self._plain[at:quote]).has(0)

    def _below(self, at: int) -> int:
        """Skip introductions and an unmarked quotation below; return the next index to read."""
        while (at := self._next[at]) < len(self._lines):
            if self._marked[at] or self._is_ours_with_bars(at):
                return at
            end = at if self._quoted[at] else self._introduction(at)
            if end == at or self._ours.has(at):  # such as "You wrote:" in our own mail
                return self._unmarked(at)
            at = end
        return at

    def _is_ours_with_bars(self, at: int) -> bool:
        """Return whether our mail about a board begins at `at`, each line quoted with a bar `|`."""
        barred = takewhile(lambda line: line.startswith("|"), self._plain[at:])
        return ours_is_quoted(line.replace("|", ">", 1) for line in barred)

    def _unmarked(self, at: int) -> int:
        """Read the answers in the unmarked quotation at `at`, and return the next index to read."""
        end, groups = self._ours.read(at)
        if end == at or any(map(_is_forward_mark, self._plain[at:end])):
            return len(self._lines)
        # Text below it is an answer, or a footer if there is an answer above.
        has_answer_above = bool(self._said)
        self._in_signature = False
        for answers in groups:
            self._say("")
            own = [
                answer
                for answer in answers
                if not (self._quoted[answer] or self._lines[answer].startswith(SIGNATURE))
            ]
            if any(self._plain[answer] for answer in own):
                self._below_quotes.append(len(self._said))
            for answer in own:
                self._say(self._lines[answer])
        self._say("")
        self._is_below_quote = True
        return len(self._lines) if has_answer_above else end

    def _skip_pgp(self, at: int, what: str) -> int:
        """Skip the block of PGP data of kind `what` that begins at `at`; return the next index."""
        for below in range(at + 1, len(self._lines)):
            line = self._plain[below].strip()
            if line.startswith("-----END PGP") or (what == "SIGNED MESSAGE" and not line):
                return below + 1
        return len(self._lines)


def _without_mbox(lines: list[str]) -> list[str]:
    """Remove the `>` that mailboxes set before "From ", unless a line beside it is quoted, too."""
    near = zip(lines, ["", *lines], [*lines[1:], ""], strict=False)
    return [
        line[1:] if line.startswith(">From ") and ">" not in above[:1] + below[:1] else line
        for line, above, below in near
    ]


def _undashed(lines: list[str]) -> list[str]:
    """Remove the dash-escaping of signed messages (RFC 9580, section 7.2)."""
    is_signed = False
    plain = []
    for line in lines:
        if (pgp := _PGP.match(line.strip())) is not None:
            is_signed = pgp[1] == "SIGNED MESSAGE"
        plain.append(line[2:] if is_signed and line.startswith("- -") else line)
    return plain


def _trimmed(line: str) -> str:
    """Remove invisible characters at both ends of a line, but keep its indentation."""
    line = line.rstrip(_ENDS)
    indent = len(line) - len(line.lstrip(_ENDS))
    return line[:indent].translate(_UNSEEN) + line[indent:]


def _dashed_words(line: str) -> str:
    """Return the casefolded words behind the dashes at a line's start, or "" if there are none."""
    if not line or line[0] not in _DASHES or len(line) > _LONGEST_MARK:
        return ""
    found = _DASHED.match(line.replace("&nbsp;", " "))
    return found[1].strip(_AROUND_MARKS).casefold() if found else ""


def _is_forward_mark(line: str) -> bool:
    if len(line) > _LONGEST_MARK:
        return False
    if line.endswith((":", "：")) and line.casefold().startswith(PHRASES["forward sentence"]):
        return True
    words = _dashed_words(line)
    return words in _FORWARDED or words.startswith(("forwarded message from ", "forwarded by "))


def is_footer(line: str) -> bool:
    if len(line) > _LONGEST_FOOTER and not _starts_footer(line.casefold()):
        return False
    line = _LINK_BEFORE.sub("", line, count=1)
    folded = line[:_LONGEST_FOOTER].casefold().strip(_AROUND_FOOTERS)
    if _starts_footer(folded):
        return True
    # The end of the sentence, or an excuse for the typing.
    clauses = (folded, re.split("[,;.]", folded, maxsplit=1)[0])
    return any(
        clause.endswith(PHRASES["footer end"]) and any(map(clause.__contains__, PHRASES["device"]))
        for clause in clauses
    )


def _starts_footer(folded: str) -> bool:
    return folded[:_HEAD] in _FOOTER_HEADS and folded.startswith(PHRASES["footer start"])
