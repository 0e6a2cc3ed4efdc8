"""A result as text: `1-0` for two players, the winning seats for more."""

import re

from pbm.rules.abalone.records.replay import shown
from pbm.rules.contract import RecordError

Winners = tuple[int, ...] | None
"""The winning seats, none of them for a draw; None if there is no result."""

_WON = {"1-0": (1,), "0-1": (2,)}
_DRAWN = ("1/2-1/2", "draw", "½-½", "1/2")
_OPEN = ("*", "?", "-", "")

_SEATS = re.compile(r"[1-6](?:\+[1-6]){0,5}", re.ASCII)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))


def format_result(winners: Winners, players: int) -> str:
    """A result in the way that a record of so many players has it.

    >>> format_result((2,), 2), format_result((), 2), format_result((1, 3), 4)
    ('0-1', '1/2-1/2', '1+3')
    """
    if winners is None:
        return "*"
    if not winners:
        return _DRAWN[0] if players == 2 else "draw"
    named = [text for text, seats in _WON.items() if seats == winners and players == 2]
    return named[0] if named else "+".join(map(str, winners))


def parse_result(text: str, players: int) -> Winners:
    """The winners that a result names; raises RecordError for a text that is no result."""
    plain = _plain(text)
    if plain in _OPEN:
        return None
    if plain in _DRAWN:
        return ()
    if players == 2 and plain in _WON:
        return _WON[plain]
    if _SEATS.fullmatch(plain):
        winners = tuple(sorted(set(map(int, plain.split("+")))))
        if winners[-1] <= players:
            return winners
    drawn = format_result((), players)
    raise RecordError("bad-result", fault="word", word=shown(text), players=players, drawn=drawn)


def is_result(word: str) -> bool:
    """Whether a word among moves can only be a result; one digit could also be a move's number."""
    plain = _plain(word)
    return plain in (*_WON, *_DRAWN, "*") or ("+" in plain and bool(_SEATS.fullmatch(plain)))


def _plain(text: str) -> str:
    return "".join(text.split()).lower().translate(_DASHES)
