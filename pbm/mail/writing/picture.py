"""The picture of a board: from what the rules say to draw to PNG bytes and to words.

It is put together from stamps. What is described by the same text is the same bytes, and drawn
once for all who get it.
"""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from math import cos, radians, sin
from typing import Any, Final

from PIL import Image

from pbm.mail.writing import stamps
from pbm.mail.writing.canvas import Point
from pbm.rules.contract import Draws, Ground
from pbm.rules.registry import default_game, game_named

_EMPTY: Final = "."
_FIXED: Final = "#"
_MOST_KEPT: Final = 256  # pictures of 6 to 9 KB
_LEVEL: Final = 6  # of compression: more costs much time and saves little
_encoder: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_OVER_THE_EDGE: Final = 0.6  # how far from its last cell a piece lies that has left the board


def described(drawing: Mapping[str, Any]) -> str:
    """A drawing of the rules as one line of text, the same for the same drawing."""
    return _encoder.encode(drawing)


@lru_cache(maxsize=_MOST_KEPT)
def png(described: str) -> bytes:
    """The picture that a text of `described` means."""
    drawing = json.loads(described)
    ground = _ground(drawing)
    image = stamps.board(ground).copy()
    came, left = set(drawing.get("came", ())), set(drawing.get("left", ()))
    for index, sign in enumerate(drawing["signs"]):
        point = stamps.place(ground, ground.cells[index])
        if sign != _EMPTY:
            piece = stamps.piece(sign, _written(drawing, sign), came=index in came)
            _put(image, piece, point, stamps.mask())
        elif index in left:
            _put(image, stamps.arrow(drawing["towards"]), point, stamps.mask())
    if drawing.get("off"):
        _put_off(image, ground, drawing)
    return _encoded(image)


def in_words(described: str) -> str:
    """The position in one line, for whoever does not see the picture.

    >>> in_words(described({"signs": "11.2".ljust(61, "."), "seats": "ox"}))
    'o on a1 to a2; x on a4'
    """
    drawing = json.loads(described)
    names = _ground(drawing).names
    signs = sorted(set(drawing["signs"]) - {_EMPTY})
    return "; ".join(
        f"{_written(drawing, sign)} on {', '.join(_runs(names, drawing['signs'], sign))}"
        for sign in signs
    )


def size(described: str) -> tuple[int, int]:
    """How wide and how high the picture is, in pixels."""
    ground = _ground(json.loads(described))
    return ground.width, ground.height


def _ground(drawing: Mapping[str, Any]) -> Ground:
    """The empty board of the game that a drawing is of; one that names none is of the usual one.

    Raises ValueError for a game that has no pictures.
    """
    game = game_named(drawing["game"]) if "game" in drawing else default_game()
    if not isinstance(game, Draws):
        raise ValueError(f"{game.info.name} has no pictures")
    return game.ground


def _written(drawing: Mapping[str, Any], sign: str) -> str:
    return sign if sign == _FIXED else str(drawing["seats"][int(sign) - 1])


def _put(image: Image.Image, stamp: Image.Image, point: Point, mask: Image.Image) -> None:
    x, y = point
    corner = (round(x - stamp.width / 2), round(y - stamp.height / 2))
    image.paste(stamp, corner, mask)


def _put_off(image: Image.Image, ground: Ground, drawing: Mapping[str, Any]) -> None:
    index, seat = drawing["off"]
    (x, y), towards = ground.cells[index], radians(drawing["towards"])
    beyond = (x + _OVER_THE_EDGE * cos(towards), y + _OVER_THE_EDGE * sin(towards))
    piece = stamps.fallen(seat, _written(drawing, seat))
    _put(image, piece, stamps.place(ground, beyond), stamps.mask(small=True))


def _encoded(image: Image.Image) -> bytes:
    image.putpalette(stamps.palette())
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=_LEVEL, transparency=stamps.ALPHAS)
    return file.getvalue()


def _runs(names: Sequence[str], signs: str, sign: str) -> Iterator[str]:
    """The cells with a sign: single ones, and neighbours of a row as the first and the last."""
    cells = zip(names, signs, strict=True)
    for (_, found), run in groupby(cells, key=lambda cell: (cell[0][0], cell[1])):
        cell_names = [name for name, _ in run]
        if found == sign:
            first, last = cell_names[0], cell_names[-1]
            yield first if first == last else f"{first} to {last}"
