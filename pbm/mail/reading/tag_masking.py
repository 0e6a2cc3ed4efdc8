"""Masks our reply addresses in a text, however a mail program encodes them.

Their tags and tokens would help an attacker, and people quote them unknowingly.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

from pbm.mail.reading.charsets import UNSEEN

MASK = "****"
_BLANKS = "[ \t]{0,2}"
_DOT = rf"{_BLANKS}(?:\.|[\[({{] ?(?:dot|\.) ?[\])}}]|(?<=[ \t])dot(?=[ \t])){_BLANKS}"
_NO_WORD_BEFORE = "(?<![a-z0-9])"
_PLAYER = rf"(?:g\d{{1,9}}{_DOT})?u\d{{1,9}}"
_MOST_BEFORE = 80  # characters of an address before its distinctive part
_ENDS_ADDRESS = frozenset(" \t\n<>()[]\"',;:")
# The details of our addresses, as in `pbm.mail.address`. A tag may be followed by anything.
_SECRET = re.compile(
    rf"{_NO_WORD_BEFORE}(?:{_PLAYER}|b{_DOT}\d{{1,9}}{_DOT}[a-z0-9]{{8}}){_DOT}"
    rf"[a-z0-9]{{17,18}}"
    rf"|{_NO_WORD_BEFORE}(?:c|probe){_DOT}[a-z2-7]{{24}}(?![a-z0-9])",
    re.ASCII | re.IGNORECASE,
)
# A tag with blanks in it, as in a broken line, must be known, since words look like that, too.
_DIVIDED = re.compile(
    rf"{_NO_WORD_BEFORE}{_PLAYER}{_DOT}([a-z0-9](?:[ \t]?[a-z0-9]){{16,17}})",
    re.ASCII | re.IGNORECASE,
)
_WORD = re.compile(r"(?<![a-z0-9])[a-z0-9]{16,24}(?![a-z0-9])", re.ASCII | re.IGNORECASE)
# Letters in percent-encoding (also encoded twice), quoted-printable, HTML; letters that look like
# ASCII ones; and invisible characters.
_SPELT = re.compile(
    "%(?:25){0,3}[2-7][0-9a-f]|=[2-7][0-9a-f]|&#(?:x0{0,4}[0-9a-f]{2,4}|0{0,4}[0-9]{2,5});|&(?:period|shy);"
    f"|[{UNSEEN}\u24b6-\u24e9\u3002\uff01-\uff5e\U0001d400-\U0001d7ff]"
    "|=?\n[ \t>|]*",
    re.IGNORECASE,
)
_NAMED = {"&period;": ".", "&shy;": "", "\u3002": "."}


def mask_tags(text: str, is_secret: Callable[[str], bool]) -> str:
    """Mask our addresses, and secret words of 16 to 24 characters; keep the number of lines."""
    before, text = text, _masked(text, text, range(len(text) + 1), is_secret)
    if text == before and not _SPELT.search(text):
        return text  # plain letters in one line, the same in every decoding
    for joined in (None, 0, 1):  # each line by itself, then with the next
        text = _masked(text, *_decoded(text, joined), is_secret)
    return text


def _masked(
    text: str, seen: str, places: list[int] | range, is_secret: Callable[[str], bool]
) -> str:
    """Mask in `text` the secrets that are found in `seen`, which is `text` decoded."""
    pieces, done = [], 0
    for start, end in sorted(_found(seen, is_secret)):
        first, last = places[start], places[end]
        if first >= done:
            lines = text.count("\n", first, last)
            pieces += [text[done:first], MASK, "\n" * lines]
            done = last
    return "".join([*pieces, text[done:]])


def _found(seen: str, is_secret: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    for found in _SECRET.finditer(seen):
        yield _begin(seen, found.start()), found.end()
    for found in _DIVIDED.finditer(seen):
        if is_secret("".join(found[1].split()).lower()):
            yield _begin(seen, found.start()), found.end()
    for word in _WORD.finditer(seen):
        if is_secret(word[0].lower()):
            yield word.span()


def _begin(seen: str, at: int) -> int:
    """Return the index at which an address begins whose detail, such as `u7`, begins at `at`."""
    first = max(0, at - _MOST_BEFORE)
    while at > first and seen[at - 1] not in _ENDS_ADDRESS:
        at -= 1
    return at


def _decoded(text: str, joined: int | None) -> tuple[str, list[int]]:
    """Decode a text. Return also, for each decoded character, its index in the encoded text.

    `joined` is 0 to join each even line with the next one, 1 for odd lines, None for no lines.
    """
    pieces: list[str] = []
    places: list[int] = []
    done = line = 0
    for found in _SPELT.finditer(text):
        told = found[0]
        if told.lstrip("=").startswith("\n"):
            told, line = ("" if line % 2 == joined else "\n"), line + 1
        else:
            told = _decoded_letter(told)
        pieces += [text[done : found.start()], told]
        places += range(done, found.start())
        places += [found.start()] * len(told)
        done = found.end()
    pieces.append(text[done:])
    places += range(done, len(text) + 1)
    return "".join(pieces), places


@lru_cache(maxsize=1024)  # of 12 characters at most
def _decoded_letter(spelt: str) -> str:
    """Return the plain letter for an encoded or full-width one, or "" for an invisible one."""
    lowered = spelt.lower()
    if lowered in _NAMED:
        return _NAMED[lowered]
    if lowered[0] in "%=":
        return chr(int(lowered[-2:], 16))
    if lowered.startswith("&#"):
        number = int(lowered[3:-1], 16) if lowered[2] == "x" else int(lowered[2:-1])
        return _decoded_letter(chr(number)) if number > 127 else chr(number)
    if unicodedata.category(spelt) in ("Cf", "Mn", "Lo"):
        return ""  # invisible
    return unicodedata.normalize("NFKC", spelt)
