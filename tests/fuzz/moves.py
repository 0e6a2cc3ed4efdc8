"""Texts for the parsers of moves: the first byte chooses a position, the others are the text."""

from pbm.rules import abalone as rules
from tests.fuzz.targets import Target
from tests.rules.promises import check_abapro_text, check_move_text
from tests.rules.random_positions import SETUPS, some_positions
from tests.rules.setups import CELLS

_PLAYED = list(some_positions(len(SETUPS)))
_POSITIONS = [*_PLAYED, *(position.leave(1) for position in _PLAYED[::10])]


def check(data: bytes) -> None:
    """Hold all parsers of moves to what they promise of any text."""
    position = _POSITIONS[data[0] % len(_POSITIONS)] if data else _POSITIONS[0]
    # Any bytes become some text, with halves of surrogate pairs where they are no UTF-8.
    text = data[1:].decode("utf-8", "surrogateescape")
    check_move_text(text, position)
    check_abapro_text(text, position)


def _seeds() -> tuple[bytes, ...]:
    found = []
    for number, position in enumerate(_POSITIONS):
        for move in position.legal_moves()[number % 7 :: 20]:
            for text in (str(move), rules.format_abapro(move, position)):
                found.append(bytes([number]) + text.encode())
    return tuple(found)


_SIGNS = (
    "-",
    ",",
    ";",
    ":",
    ">",
    "->",
    " ",
    "–",
    "—",
    "−",
    "，",
    "：",
    "＞",
    "ａ１",
    "Ａ",
    "３",
    "\N{NO-BREAK SPACE}",
)

TARGET = Target(check, _seeds(), tuple(word.encode() for word in (*CELLS, *_SIGNS)), longest=120)
