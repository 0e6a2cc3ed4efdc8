"""The fixed words of templates, so that our sentences are known when they come back.

A sentence of ours is fixed words with something filled in between, in whatever way a template
puts it together. So nothing is rendered: a text is taken for ours if most of it is fixed words,
some of them in a row that nobody writes by chance. A reworded template is known at once.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from pbm.resources import game_templates, resource_path

_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_FILLED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_CONSTANT = re.compile(r'"([^"\n]*)"')
_SENTENCE_END = (".", "!", "?", ":", '"')
_REST_OF_SENTENCE = re.compile(r"[^.!?:]{1,100}[.!?:](?= |$)")
_WORD = re.compile(r"[A-Za-z]{2,}", re.ASCII)
_FEWEST_WORDS = 2
_SURE_WORDS = 3  # nobody writes so many of these by chance
_LONGEST = 1_000
_SHARE = 0.5


class TemplateWords:
    """The rows of fixed words of some templates, to be looked for in a text."""

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
        """Where our words end in a text that begins with them; 0 if it doesn't.

        Blanks in the text are single ones.
        """
        covered = [False] * min(len(text), _LONGEST)
        is_sure = False
        for row in self._rows_in(text):
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

    def _rows_in(self, text: str) -> Iterator[str]:
        for word in dict.fromkeys(_WORD.findall(text[:_LONGEST])):
            yield from self._by_word.get(word, ())


@cache
def template_words() -> TemplateWords:
    """The fixed words of this server's templates, and of those of its games."""
    folders = [resource_path("templates"), *game_templates().values()]
    files = sorted({file for folder in folders for file in folder.rglob("*.txt")})
    return TemplateWords(file.read_text(encoding="utf-8") for file in files)


def _rows(source: str) -> Iterator[str]:
    source = _COMMENT.sub("", source)
    for filling in _FILLED.findall(source):
        yield from (" ".join(text.split()) for text in _CONSTANT.findall(filling))
    for text in _FILLED.sub("\n", source).split("\n"):
        yield " ".join(text.split())
