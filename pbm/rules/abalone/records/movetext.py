"""The text of a record cut into tags and words, and its moves put into lines.

Comments in braces or from `;` to the end of the line, variations in round brackets, move numbers
and marks such as `!?` and `$1` are left out; a comment that says that a seat left is a step. Each
piece of the text is looked at once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pbm.rules.abalone.records.record import LONGEST_VALUE, is_control
from pbm.rules.abalone.records.replay import Replayed, shown
from pbm.rules.abalone.records.steps import HOWS, Leaving, Step
from pbm.rules.contract import RecordError

WIDTH = 40
"""Columns of a line of moves."""

_CELL = "[a-iA-I][0-9]{1,2}"
_PIECE = re.compile(
    rf"""
    (?P<blank> \s+ | ;[^\n]* | \$[0-9]+ | [0-9]{{1,6}}\.+ )
    | (?P<tag> \[\s* (?P<name> [A-Za-z][A-Za-z0-9_]{{0,39}} ) \s*
        (?: "(?P<value> (?: [^"\\] | \\. )* )" | [“”„](?P<curly> [^“”"]* )[“”"] ) \s*\] )
    | \{{ (?P<comment> [^}}]* ) \}}
    | (?P<bracket> [()] )
    | (?P<move> {_CELL} (?: \s*[-‐‑‒–—―−]\s* {_CELL} )? \s*(?:->|[,;:>])\s* {_CELL} (?!\w) )
    | (?P<word> [^\s(){{}}\[\]]+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_LEAVING = re.compile(rf"seat ([1-6]) ({'|'.join(HOWS)})", re.ASCII | re.IGNORECASE)
_LINE_BREAK = re.compile(r"[ \t]*[\r\n]+[ \t]*")
_MARKS = "!?,;"
NO_REMARKS: Mapping[int, str] = MappingProxyType({})
_LONGEST_REST = 30


@dataclass(frozen=True, slots=True)
class Pieces:
    """The tags of a text and the words after them, numbers and comments left out."""

    tags: list[tuple[str, str]] = field(default_factory=list)
    words: list[str | Leaving] = field(default_factory=list)


def cut(text: str) -> Pieces:
    """Cut a text into its pieces; raises RecordError for brackets and tags that do not read."""
    pieces = Pieces()
    depth = place = 0
    while place < len(text):
        match = _PIECE.match(text, place)
        if match is None:
            raise _unreadable(text[place:])
        place = match.end()
        if bracket := match["bracket"]:
            depth += 1 if bracket == "(" else -1
            if depth < 0:
                raise _unreadable(")")
        elif not depth:
            _sort(match, pieces)
    if depth:
        raise _unreadable("(")
    return pieces


def _sort(match: re.Match[str], pieces: Pieces) -> None:
    if match["tag"]:
        if pieces.words:
            raise RecordError("several-games")
        pieces.tags.append((match["name"], _value(match)))
    elif comment := match["comment"]:
        leaving = _LEAVING.fullmatch(" ".join(comment.split()))
        if leaving:
            how = next(how for how in HOWS if how == leaving[2].lower())
            pieces.words.append(Leaving(int(leaving[1]), how))
    elif match["move"]:
        pieces.words.append(match["move"])
    elif word := (match["word"] or "").rstrip(_MARKS):
        pieces.words.append(word)


def _value(match: re.Match[str]) -> str:
    """The value of a tag; where a mail program has broken its line is a blank again."""
    value: str = match["curly"] or match["value"] or ""
    if len(value) > 3 * LONGEST_VALUE:
        raise RecordError("bad-tag", fault="length", tag=match["name"], most=LONGEST_VALUE)
    plain = _LINE_BREAK.sub(" ", re.sub(r'\\(["\\])', r"\1", value))
    return "".join(" " if is_control(character) else character for character in plain)


def _unreadable(rest: str) -> RecordError:
    if rest.startswith("["):
        return RecordError("bad-tag", fault="form", rest=shown(rest[:_LONGEST_REST]))
    return RecordError("bad-bracket", rest=shown(rest[:_LONGEST_REST]))


def format_tag(name: str, value: str) -> str:
    """A tag on its line.

    >>> print(format_tag("Event", 'The "big" one'))
    [Event "The \\"big\\" one"]
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def format_moves(
    replayed: Iterable[Replayed],
    moves: Iterable[str],
    result: str,
    remarks: Mapping[int, str] = NO_REMARKS,
) -> str:
    """The steps of a game in numbered lines, the result at their end.

    `moves` are the texts of the moves alone, in any notation. `remarks` stand as comments behind
    the moves of their plies.
    """
    texts = iter(moves)
    words: list[str] = []
    for each in replayed:
        words += _words(each, texts)
        if each.played and each.ply in remarks:
            words += f"{{{remarks[each.ply]}}}".split()
    return "\n".join(_lines([*words, result])) + "\n"


def _words(each: Replayed, texts: Iterator[str]) -> Iterator[str]:
    step: Step = each.step
    if isinstance(step, Leaving):
        yield f"{{{step}}}"
        return
    for seat in (*each.skipped, each.seat):
        text = next(texts) if seat == each.seat else "--"
        yield f"{each.number}. {text}" if seat == 1 else text


def _lines(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > WIDTH:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    yield line
