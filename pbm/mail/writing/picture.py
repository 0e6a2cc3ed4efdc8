"""The picture of a board: from what the rules say to draw to PNG bytes and to words.

It is put together from stamps. What is described by the same text is the same bytes, and drawn
once for all who get it.
"""

import io
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from math import cos, radians, sin
from typing import Any, Final

from PIL import Image

from pbm.mail.writing import stamps
from pbm.mail.writing.canvas import Point
from pbm.rules import abalone as rules

WIDTH: Final = stamps.WIDTH
HEIGHT: Final = stamps.HEIGHT
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
    image = stamps.board().copy()
    came, left = set(drawing.get("came", ())), set(drawing.get("left", ()))
    for index, sign in enumerate(drawing["signs"]):
        point = rules.GROUND.cells[index]
        if sign != _EMPTY:
            piece = stamps.piece(sign, _written(drawing, sign), came=index in came)
            _put(image, piece, point, stamps.mask())
        elif index in left:
            _put(image, stamps.arrow(drawing["towards"]), point, stamps.mask())
    if drawing.get("off"):
        _put_off(image, drawing)
    return _encoded(image)


def in_words(described: str) -> str:
    """The position in one line, for whoever does not see the picture.

    >>> from pbm.rules.abalone import drawing, start
    >>> from pbm.mail.writing import picture
    >>> in_words(picture.described(drawing(start())))
    'o on a1 to a5, b1 to b6, c3 to c5; x on g5 to g7, h4 to h9, i5 to i9'
    """
    drawing = json.loads(described)
    signs = sorted(set(drawing["signs"]) - {_EMPTY})
    return "; ".join(
        f"{_written(drawing, sign)} on {', '.join(_runs(drawing['signs'], sign))}" for sign in signs
    )


def _written(drawing: Mapping[str, Any], sign: str) -> str:
    return sign if sign == _FIXED else str(drawing["seats"][int(sign) - 1])


def _put(image: Image.Image, stamp: Image.Image, point: Point, mask: Image.Image) -> None:
    x, y = stamps.place(point)
    corner = (round(x - stamp.width / 2), round(y - stamp.height / 2))
    image.paste(stamp, corner, mask)


def _put_off(image: Image.Image, drawing: Mapping[str, Any]) -> None:
    index, seat = drawing["off"]
    (x, y), towards = rules.GROUND.cells[index], radians(drawing["towards"])
    beyond = (x + _OVER_THE_EDGE * cos(towards), y + _OVER_THE_EDGE * sin(towards))
    piece = stamps.fallen(seat, _written(drawing, seat))
    _put(image, piece, beyond, stamps.mask(small=True))


def _encoded(image: Image.Image) -> bytes:
    image.putpalette(stamps.palette())
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=_LEVEL, transparency=stamps.ALPHAS)
    return file.getvalue()


def _runs(signs: str, sign: str) -> Iterator[str]:
    """The cells with a sign: single ones, and neighbours of a row as the first and the last."""
    cells = zip(rules.GROUND.names, signs, strict=True)
    for (_, found), run in groupby(cells, key=lambda cell: (cell[0][0], cell[1])):
        names = [name for name, _ in run]
        if found == sign:
            yield names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
