"""The lines that templates can make, so that ours are known when they come back.

A line of a template is taken as the fixed words in it, in order; what is filled in may be
anything. Nothing is rendered, and a reworded template is known at once.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from pbm.resources import resource_path

_FILLED = "\0"
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_UNSEEN_TAG = re.compile(r"\{%-?\s*(?:macro|endmacro|import|include|set|else)\b.*?%\}")
_OPTIONAL = (re.compile(r"\{% if .*?%\}.*?\{% endif %\}"), re.compile(r"\{% for .*?\{% endfor %\}"))
_FILLING = re.compile(r"(?:\{\{.*?\}\}|\{%.*?%\}|\0)+")
_WORD = re.compile(r"[A-Za-z]{2,}", re.ASCII)
_FEWEST_WORDS = 2
_SURE_WORDS = 3  # nobody writes these by chance


class _Line(NamedTuple):
    pieces: tuple[str, ...]  # the fixed text around what is filled in
    words: int

    @property
    def is_sure(self) -> bool:
        return self.words >= _SURE_WORDS or len(self.pieces) == 1


class TemplateLines:
    """All lines of some templates, to be asked about lines of a mail."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._by_word: dict[str, list[_Line]] = {}
        for line in sorted({line for source in sources for line in _lines(source)}):
            if whole := _whole_words(line.pieces):
                self._by_word.setdefault(max(whole, key=len), []).append(line)
        lines = (line for found in self._by_word.values() for line in found)
        self._beginnings = tuple({_beginning(line.pieces[0]) for line in lines} - {""})

    def made(self, text: str) -> bool:
        """Can a template have made this line?"""
        return any(_fits(line.pieces, text) for line in self._like(text))

    def surely_made(self, text: str) -> bool:
        """The same, but for lines with so few fixed words that anybody may write them."""
        return any(line.is_sure and _fits(line.pieces, text) for line in self._like(text))

    def began(self, text: str) -> bool:
        """Does the text begin as a line does, with three fixed words or more?"""
        return text.startswith(self._beginnings)

    def _like(self, text: str) -> list[_Line]:
        words = dict.fromkeys(text.split())
        return [line for word in words for line in self._by_word.get(word, ())]


@cache
def template_lines() -> TemplateLines:
    """The lines of this server's templates."""
    files = sorted(resource_path("templates").rglob("*.txt"))
    return TemplateLines(file.read_text(encoding="utf-8") for file in files)


def _lines(source: str) -> Iterator[_Line]:
    for line in _COMMENT.sub("", source).split("\n"):
        text = _UNSEEN_TAG.sub("", line)
        for optional in _OPTIONAL:
            text = optional.sub(_FILLED, text)
        pieces = tuple(_FILLING.sub(_FILLED, text.strip()).split(_FILLED))
        words = len(_WORD.findall(" ".join(pieces)))
        if words >= _FEWEST_WORDS and pieces[-1].strip():  # else it could end anywhere
            yield _Line(pieces, words)


def _whole_words(pieces: tuple[str, ...]) -> list[str]:
    """The fixed words that nothing filled in can grow together with."""
    return [word for word in _FILLED.join(pieces).split() if _FILLED not in word]


def _beginning(piece: str) -> str:
    """The first fixed words of a line, if they are so many that nobody writes them by chance."""
    words = piece.split()
    return " ".join(words[:_SURE_WORDS]) if len(_WORD.findall(piece)) >= _SURE_WORDS else ""


def _fits(pieces: tuple[str, ...], text: str) -> bool:
    """Are the pieces in the text, in order, and the outer ones at its ends?"""
    if len(pieces) == 1:
        return text == pieces[0]
    first, *inner, last = pieces
    at, end = len(first), len(text) - len(last)
    if at > end or not text.startswith(first) or not text.endswith(last):
        return False
    for piece in inner:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True
