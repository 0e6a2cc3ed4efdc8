"""Converts a game's drawing of a board, or the chart of who was ahead, to PNG and to words.

We write PNG ourselves (PNG specification, third edition, sections 5 and 11), since Pillow filters
the rows of an indexed image, which takes twice as long and makes it a fifth larger.
"""

import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import groupby, pairwise
from math import cos, dist, radians, sin
from typing import Any, Final, NamedTuple

from PIL import Image

from pbm.mail.writing import stamps
from pbm.mail.writing.stamps import DENSITY, Colour, Point, Stamp
from pbm.rules.contract import Draws, Ground, has
from pbm.rules.registry import default_game, game_named

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_BITS, _INDEXED = 4, 3
_LEVEL: Final = 5  # compression level: 6 saves an eighth, and takes twice as long
_SMALLEST: Final = 6
_ADLER: Final = 65_521  # the modulus of a checksum of zlib's


class _Strip(NamedTuple):
    """Compressed lines of pixels, a part of a picture: the line above the board, or the board."""

    height: int
    deflated: bytes
    sums: tuple[int, int]  # of the pixels' bytes, as in Adler-32 (RFC 1950)
    length: int


class _Item(NamedTuple):
    """A stamp at a point of a picture."""

    draw: Callable[..., Stamp]
    what: tuple[Any, ...]
    point: Point


def _compressed(image: Image.Image, level: int = _LEVEL) -> _Strip:
    image.putpalette(bytes(3 << _BITS))
    stride = (image.width * _BITS + 7) // 8 + 1  # Pillow pads rows with zeros
    # Each packed row is after a zero, which means no filter.
    rows = b"\0" + image.tobytes("raw", f"P;{_BITS}", stride)[:-1]
    deflate, check = zlib.compressobj(level, wbits=-zlib.MAX_WBITS), zlib.adler32(rows)
    deflated = deflate.compress(rows) + deflate.flush(zlib.Z_FULL_FLUSH)
    return _Strip(image.height, deflated, (check & 0xFFFF, check >> 16), len(rows))


def _file(width: int, colours: Sequence[Colour], *strips: _Strip) -> bytes:
    """Return strips of an image of up to 16 colours, one below the other, as PNG."""
    low, high = 1, 0
    for strip in strips:
        high = (high + strip.sums[1] + strip.length * (low - 1)) % _ADLER
        low = (low + strip.sums[0] - 1) % _ADLER
    size = struct.pack(">II", width, sum(strip.height for strip in strips))
    # An empty last block is after the strips.
    stream = (b"\x78\x5e", *(strip.deflated for strip in strips), b"\3\0")
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", size + bytes((_BITS, _INDEXED, 0, 0, 0))),
            _chunk(b"PLTE", stamps.flat(colours)),
            _chunk(b"IDAT", b"".join((*stream, struct.pack(">HH", high, low)))),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_EMPTY: Final = "."
_FIXED: Final = "#"
_MOST_KEPT: Final = 128  # pictures of 18 to 31 KB
_encoder: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_TWO: Final = 2  # seats, whose players get the same board with different palettes
_CAPTIONS: Final = {"you": "You", "partners": stamps.PARTNER, "mover": "To move"}
_BEYOND, _SMALL = 0.78, 0.6  # distance and size of an arrow over the edge, in steps


def described(drawing: Mapping[str, Any]) -> str:
    """Format a game's drawing of a position as a line of JSON; equal drawings give equal text."""
    return _encoder.encode(drawing)


@lru_cache(maxsize=_MOST_KEPT)
def png(described: str) -> bytes:
    """Draw a position or a chart as PNG.

    `described` is JSON. The pieces of the seat in its `named` show the names of their cells.
    """
    drawing = json.loads(described)
    if "leads" in drawing:
        image = _chart(drawing)
        return _file(image.width, stamps.palette(None), _compressed(image))
    game, seats = _game(drawing), drawing["seats"]
    ground, items = _ground_of(game), tuple(_items(drawing))
    colours = stamps.palette(drawing.get("named", "") if len(seats) == _TWO else None)
    captions = tuple(
        (word, seat, seats[int(seat) - 1])
        for key, word in _CAPTIONS.items()
        for seat in drawing.get(key, "")
    )
    head = ground.width, captions
    if drawing.get("small"):
        whole = _drawn(game, items)
        whole.paste(stamps.head(*head))
        small = stamps.halved(whole, colours)
        return _file(small.width, colours, _compressed(small, _SMALLEST))
    return _file(DENSITY * ground.width, colours, _head(*head), _board(game, items))


@lru_cache(maxsize=_MOST_KEPT // 2)
def _head(width: int, captions: tuple[tuple[str, str, str], ...]) -> _Strip:
    return _compressed(stamps.head(width, captions).copy())


@lru_cache(maxsize=_MOST_KEPT // 4)
def _board(game: str, items: tuple[_Item, ...]) -> _Strip:
    image = _drawn(game, items)
    return _compressed(image.crop((0, DENSITY * stamps.HEAD, *image.size)))


def _drawn(game: str, items: Iterable[_Item]) -> Image.Image:
    image = stamps.board(_ground_of(game)).copy()
    for draw, what, (x, y) in items:
        stamp, mask = draw(*what)
        corner = round(DENSITY * x - stamp.width / 2), round(DENSITY * y - stamp.height / 2)
        image.paste(stamp, corner, mask)
    return image


@cache
def _places(game: str) -> tuple[Point, ...]:
    ground = _ground_of(game)
    return tuple(stamps.place(ground, point) for point in ground.cells)


def _items(drawing: Mapping[str, Any]) -> Iterator[_Item]:
    """Yield the stamps on a board. With two seats, all pieces have names."""
    game, moves = _game(drawing), drawing["moves"]
    ground, places, seats = _ground_of(game), _places(game), drawing["seats"]
    came = {index for move in moves for index in move["came"]}
    left = {index: move["towards"] for move in moves for index in move["left"]}
    which, partners = _ordinals(moves), drawing.get("partners", "")
    for_two = len(seats) == _TWO
    named = "12" if for_two else drawing.get("named", "")
    for index, sign in enumerate(drawing["signs"]):
        number = which.get(index, 0)
        if sign != _EMPTY:
            text = ground.names[index] if sign in named else _written(drawing, sign)
            hidden = for_two and sign in named
            what = (sign, text, index in came, sign in partners, number, hidden)
            yield _Item(stamps.piece, what, places[index])
        elif index in left:
            text = stamps.ordinal(number) if number else ground.names[index]
            yield _Item(stamps.arrow, (text, left[index]), places[index])
    for index, towards in ((move["off"][0], move["towards"]) for move in moves if move["off"]):
        (x, y), angle = ground.cells[index], radians(towards)
        beyond = stamps.place(ground, (x + _BEYOND * cos(angle), y + _BEYOND * sin(angle)))
        yield _Item(stamps.arrow, ("", towards, _SMALL), beyond)
    if "start" in drawing:
        yield from _trays(drawing)


def _ordinals(moves: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Return the cells that show the numbers of moves: each has one of the move's own pieces.

    If none of these stands where it came to, the number is in a cell that the move emptied.
    """
    if len(moves) == 1:
        return {}
    return {(*move["came"], *move["left"])[0]: number for number, move in enumerate(moves, 1)}


def _trays(drawing: Mapping[str, Any]) -> Iterator[_Item]:
    """Yield the trays with the pieces that each seat has lost, near where the seat began."""
    start, signs, seats = (drawing[key] for key in ("start", "signs", "seats"))
    for seat, place in zip("123456", _beside(_game(drawing), start, len(seats)), strict=False):
        lost = start.count(seat) - signs.count(seat)
        off = [move["off"][1] for move in drawing["moves"] if move["off"]]
        if lost > 0:
            sign = "" if len(seats) == _TWO else _written(drawing, seat)
            what = (seat, sign, lost, min(lost, off.count(seat)))
            yield _Item(stamps.tray, what, place)


@lru_cache(maxsize=_MOST_KEPT)
def _beside(game: str, start: str, seats: int) -> list[Point]:
    """Return a place above or below the board for each seat's tray."""
    ground, places, found = _ground_of(game), _places(game), list[Point]()
    up, down = stamps.HEAD + stamps.TRAY / 2, stamps.height(ground) - stamps.TRAY / 2
    free = [(ground.width * part / 6, y) for part in (3, 1, 5) for y in (up, down)]
    for seat in map(str, range(1, seats + 1)):
        cells = [place for place, sign in zip(places, start, strict=True) if sign == seat]
        x, y = (sum(side) / len(cells) for side in zip(*cells, strict=True))
        found.append(min(free, key=partial(dist, (x, y))))
        free.remove(found[-1])
    return found


def in_words(described: str) -> str:
    """Describe the position and the marked moves in one line, for readers without the picture.

    >>> in_words(described({"signs": "11.2".ljust(61, "."), "seats": "ox", "moves": []}))
    'The board: o on a1 to a2; x on a4.'
    """
    drawing = json.loads(described)
    if "leads" in drawing:
        return f"The lead: {_chart_in_words(drawing)}."
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
        return CHART_WIDTH, CHART_HEIGHT
    ground = _ground(drawing)
    return ground.width, stamps.height(ground)


def _game(drawing: Mapping[str, Any]) -> str:
    return str(drawing["game"]) if "game" in drawing else default_game().info.name


def _ground(drawing: Mapping[str, Any]) -> Ground:
    return _ground_of(_game(drawing))


@lru_cache(maxsize=64)  # the check takes longer than the rest of a picture's words
def _ground_of(name: str) -> Ground:
    game = game_named(name)
    if not has(game, Draws):
        raise ValueError(f"{name} has no pictures")
    return game.ground


def _written(drawing: Mapping[str, Any], sign: str) -> str:
    return sign if sign == _FIXED else str(drawing["seats"][int(sign) - 1])


# -- the chart of who was ahead -----------------------------------------------------------------

CHART_WIDTH, CHART_HEIGHT = 320, 104  # pixels of a page
MIDDLE = 46
_LEFT, _RIGHT, _HALF, _BOTTOM = 20, 310, 40, 95
_UNIT = 100  # hundredths, as the lead is given
_LEAST_LEAD, _MOST_LEAD = 2 * _UNIT, 6 * _UNIT  # bounds of the lead at the upper edge
_STEPS = (5, 10, 20, 50, 100, 200, 500, 1_000)  # plies from label to label
_MOST_LABELS = 7


def _chart(drawing: Mapping[str, Any]) -> Image.Image:
    """Draw the first side's lead over a game, given as `leads` in hundredths of a unit."""
    leads, plies = drawing["leads"], drawing["plies"]
    most = max(_LEAST_LEAD, min(_MOST_LEAD, max(map(abs, leads))))
    canvas = stamps.Canvas(CHART_WIDTH, CHART_HEIGHT, stamps.GROUND)
    step = next((step for step in _STEPS if plies // step <= _MOST_LABELS), plies)
    for ply in range(0, plies + 1, step):
        x = _LEFT + (_RIGHT - _LEFT) * ply / max(1, plies)
        canvas.line((x, MIDDLE - _HALF), (x, MIDDLE + _HALF), 0.5, stamps.HOLE)
        canvas.text((x, _BOTTOM), f"#{ply}", 11, stamps.INK)
    for lead in range(-most // _UNIT * _UNIT, most + 1, _UNIT):
        y = MIDDLE - _HALF * lead / most
        if abs(lead) <= most:
            canvas.line((_LEFT, y), (_RIGHT, y), 0.5, stamps.HOLE)
    for units in (most // _UNIT, -(most // _UNIT)):
        y = MIDDLE - _HALF * units * _UNIT / most
        canvas.text((_LEFT / 2, y), str(abs(units)), 11, stamps.INK)
    points = list(_points(leads, most))
    for seat, side in (("1", min), ("2", max)):  # y goes down
        edge = [(x, side(y, float(MIDDLE))) for x, y in points]
        canvas.polygon([(_LEFT, MIDDLE), *edge, (_RIGHT, MIDDLE)], stamps.PIECES[seat][0])
    for one, other in pairwise(points):
        canvas.line(one, other, 1, stamps.INK)
    canvas.line((_LEFT, MIDDLE), (_RIGHT, MIDDLE), 1, stamps.NAME)
    return canvas.finished(
        stamps.GROUND,
        stamps.HOLE,
        stamps.NAME,
        stamps.INK,
        *(stamps.PIECES[seat][0] for seat in "12"),
    )


def _points(leads: Sequence[int], most: int) -> Iterator[Point]:
    """Yield the points of the curve, clipped to ±`most`, and where it crosses the middle line."""
    wide = (_RIGHT - _LEFT) / max(1, len(leads) - 1)
    before: Point | None = None
    for number, lead in enumerate(leads):
        x = _LEFT + number * wide
        y = MIDDLE - _HALF * max(-most, min(most, lead)) / most
        if before and (before[1] - MIDDLE) * (y - MIDDLE) < 0:
            part = (MIDDLE - before[1]) / (y - before[1])
            yield before[0] + part * wide, MIDDLE
        yield x, y
        before = x, y


def _chart_in_words(drawing: Mapping[str, Any]) -> str:
    """Describe how far the first side was ahead, at about eight moves and at the last one.

    `leads` are in hundredths of a unit. A lead of 10 units or more means a forced win.

    >>> _chart_in_words({"leads": [0, -20, -110, -1000], "plies": 3})
    'from move to move 0.0, -0.2, -1.1, won by force'
    """
    leads = drawing["leads"]
    some = [*leads[: -1 : max(1, len(leads) // 8)], leads[-1]]
    return "from move to move " + ", ".join(
        "won by force" if abs(lead) >= 10 * _UNIT else f"{lead / _UNIT:.1f}" for lead in some
    )
