"""Converts a game's drawing of a board, or the chart of who was ahead, to PNG and to words.

We write PNG ourselves (PNG specification, third edition, sections 5 and 11), since Pillow filters
the rows of an indexed image, which takes twice as long and makes it a fifth larger.
"""

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from math import cos, radians, sin
from typing import Any, Final

from PIL import Image

from pbm.mail.writing import chart, stamps
from pbm.mail.writing.stamps import DENSITY, Point
from pbm.rules.contract import Draws, Ground, has
from pbm.rules.registry import default_game, game_named

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_BITS, _INDEXED = 4, 3
_LEVEL: Final = 5  # compression level: 6 saves an eighth, and takes twice as long
_SMALLEST: Final = 9


def encoded(image: Image.Image, palette: bytes, alphas: bytes, level: int = _LEVEL) -> bytes:
    """Encode an image of up to 16 colours as PNG. `alphas` are the first colours' opacities."""
    image.putpalette(palette)
    stride = (image.width * _BITS + 7) // 8 + 1  # Pillow pads rows with zeros
    # Each packed row is after a zero, which means no filter.
    rows = b"\0" + image.tobytes("raw", f"P;{_BITS}", stride)[:-1]
    size = struct.pack(">II", *image.size)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", size + bytes((_BITS, _INDEXED, 0, 0, 0))),
            _chunk(b"PLTE", palette),
            _chunk(b"tRNS", alphas),
            _chunk(b"IDAT", zlib.compress(rows, level)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_EMPTY: Final = "."
_FIXED: Final = "#"
_MOST_KEPT: Final = 128  # pictures of 18 to 31 KB
_encoder: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
# Places of a number beside its cell, in steps; at the first it hides no name.
_BESIDE: Final = ((0.0, -0.44), (0.0, 0.44), (0.7, 0.0), (-0.7, 0.0), (0.0, -0.83))
_KEYS: Final = ((42, 24), (42, 52))  # pixels of a page
_OVER_THE_EDGE: Final = 0.6  # distance from its last cell of a piece that has left the board


def described(drawing: Mapping[str, Any]) -> str:
    """Format a game's drawing of a position as a line of JSON; equal drawings give equal text."""
    return _encoder.encode(drawing)


@lru_cache(maxsize=_MOST_KEPT)
def png(described: str) -> bytes:
    """Draw a position or a chart as PNG.

    `described` is JSON. The pieces of the seats in its `named` show the names of their cells.
    """
    drawing = json.loads(described)
    if "leads" in drawing:
        return encoded(chart.image(drawing), stamps.PALETTE, stamps.ALPHAS)
    ground, moves = _ground(drawing), drawing["moves"]
    image = stamps.board(ground).copy()
    came = {index for move in moves for index in move["came"]}
    left = {index: move["towards"] for move in moves for index in move["left"]}
    named = drawing.get("named", "")
    mask = stamps.mask(stamps.PIECE)
    for index, sign in enumerate(drawing["signs"]):
        if sign != _EMPTY:
            writing = ground.names[index] if sign in named else _written(drawing, sign)
            stamp = stamps.piece(sign, writing, came=index in came)
        elif index in left:
            stamp = stamps.left(ground.names[index], left[index])
        else:
            continue
        _put(image, stamp, stamps.place(ground, ground.cells[index]), mask)
    for move in moves:
        if move["off"]:
            _put_off(image, ground, drawing, move)
    if len(moves) > 1:
        _put_numbers(image, ground, moves)
    for seat, point in zip(named, _KEYS, strict=False):
        _put(image, stamps.key(seat, _written(drawing, seat)), point)
    if drawing.get("small"):
        return encoded(stamps.halved(image), stamps.PALETTE, stamps.ALPHAS, _SMALLEST)
    return encoded(image, stamps.PALETTE, stamps.ALPHAS)


def in_words(described: str) -> str:
    """Describe the position and the marked moves in one line, for readers without the picture.

    >>> in_words(described({"signs": "11.2".ljust(61, "."), "seats": "ox", "moves": []}))
    'The board: o on a1 to a2; x on a4.'
    """
    drawing = json.loads(described)
    if "leads" in drawing:
        return f"The lead: {chart.in_words(drawing)}."
    cells = zip(_ground(drawing).names, drawing["signs"], strict=True)
    places: dict[str, list[str]] = {}
    for (_, sign), run in groupby(cells, key=lambda cell: (cell[0][0], cell[1])):
        names = [name for name, _ in run]
        place = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        places.setdefault(sign, []).append(place)
    on = [
        f"{_written(drawing, sign)} on {', '.join(places[sign])}"
        for sign in sorted(places)
        if sign != _EMPTY
    ]
    moved = [move["move"] for move in drawing["moves"] if "move" in move]
    words = "; ".join(on + ([f"last {' '.join(moved)}"] if moved else []))
    return f"The board: {words}."


def size(described: str) -> tuple[int, int]:
    """Return the width and height of the picture on a page, in CSS pixels."""
    drawing = json.loads(described)
    if "leads" in drawing:
        return chart.WIDTH, chart.HEIGHT
    ground = _ground(drawing)
    return ground.width, ground.height


def _ground(drawing: Mapping[str, Any]) -> Ground:
    return _ground_of(drawing["game"] if "game" in drawing else default_game().info.name)


@lru_cache(maxsize=64)  # the check takes longer than the rest of a picture's words
def _ground_of(name: str) -> Ground:
    game = game_named(name)
    if not has(game, Draws):
        raise ValueError(f"{name} has no pictures")
    return game.ground


def _written(drawing: Mapping[str, Any], sign: str) -> str:
    return sign if sign == _FIXED else str(drawing["seats"][int(sign) - 1])


def _put(
    image: Image.Image, stamp: Image.Image, point: Point, mask: Image.Image | None = None
) -> None:
    x, y = point
    corner = (round(DENSITY * x - stamp.width / 2), round(DENSITY * y - stamp.height / 2))
    image.paste(stamp, corner, mask)


def _put_off(
    image: Image.Image, ground: Ground, drawing: Mapping[str, Any], move: Mapping[str, Any]
) -> None:
    index, seat = move["off"]
    (x, y), towards = ground.cells[index], radians(move["towards"])
    beyond = (x + _OVER_THE_EDGE * cos(towards), y + _OVER_THE_EDGE * sin(towards))
    piece = stamps.piece(seat, _written(drawing, seat), fallen=True)
    _put(image, piece, stamps.place(ground, beyond), stamps.mask(stamps.FALLEN))


def _put_numbers(image: Image.Image, ground: Ground, moves: Sequence[Mapping[str, Any]]) -> None:
    """Draw each move's number beside the move's cell, if possible without hiding another number."""
    taken: list[Point] = []
    for number, move in enumerate(moves, 1):
        x, y = ground.cells[move["at"]]
        beside = [(x + right, y + down) for right, down in _BESIDE]
        free = (point for point in beside if not any(_overlap(point, other) for other in taken))
        taken.append(next(free, beside[0]))
        point = stamps.place(ground, taken[-1])
        _put(image, stamps.number(number), point, stamps.number_mask())


def _overlap(one: Point, other: Point) -> bool:
    sizes = zip(one, other, stamps.NUMBER, strict=True)
    return all(abs(here - there) * stamps.UNIT < 2 * half for here, there, half in sizes)
