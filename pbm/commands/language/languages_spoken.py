"""The languages that players say they write."""

import re
from functools import cache
from pathlib import Path

from pbm.commands.language.words import cut_short
from pbm.errors import Refusal
from pbm.nearest import nearest

MOST = 6
_FILE = Path(__file__).parents[1] / "languages" / "spoken.txt"
_BETWEEN = re.compile(r"[\s,;/+&]+")
_NONE = ("none", "off", "-")


def read_languages(text: str) -> str:
    """Parse names of languages into comma-separated codes; empty for `none`. Raises Refusal.

    >>> read_languages("English, deutsch and fr")
    'en,de,fr'
    """
    if text.casefold() in _NONE:
        return ""
    words = [word for word in _BETWEEN.split(text) if word and word.casefold() != "and"]
    codes = list(dict.fromkeys(_code(word) for word in words))
    if not codes:
        raise Refusal("no-such-language", word=cut_short(text), near=[])
    if len(codes) > MOST:
        raise Refusal("too-many-languages", most=MOST)
    return ",".join(codes)


def names_of(codes: str) -> tuple[str, ...]:
    """The English names of languages by their codes.

    >>> names_of("en,de")
    ('English', 'German')
    """
    return tuple(_names()[code][0] for code in codes.split(",") if code in _names())


def _code(word: str) -> str:
    meant = {name.casefold(): code for code, names in _names().items() for name in (code, *names)}
    if word.casefold() not in meant:
        near = nearest(word, [names[0] for names in _names().values()])
        raise Refusal("no-such-language", word=cut_short(word), near=near)
    return meant[word.casefold()]


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """The names of each language by its code, the English one first."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    found = (line.split() for line in lines if line and not line.startswith("#"))
    return {code: tuple(names) for code, *names in found}
