"""The stamps that a picture is put together from: the empty board, the pieces, the marks.

A pixel of a stamp is an index into one palette of few colours. Seats differ in the colour of
their pieces, chosen so that the colour-blind tell them apart, and in the sign on them.
"""

from collections.abc import Iterable
from functools import cache
from math import cos, radians, sin
from typing import Final

from PIL import Image

from pbm.mail.writing.canvas import Canvas, Colour, Point
from pbm.rules.contract import Ground

UNIT: Final = 36  # pixels that a piece has room in; even, so that rows in between look alike

_GROUND: Final = (214, 202, 177)
_WELL: Final = (230, 220, 198)
_HOLE: Final = (184, 169, 139)
_INK: Final = (20, 20, 20)
_LIGHT: Final = (255, 255, 255)

PIECES: Final[dict[str, tuple[Colour, Colour]]] = {
    "1": ((240, 170, 20), _INK),
    "2": ((0, 90, 170), _LIGHT),
    "3": (_LIGHT, _INK),
    "4": (_INK, _LIGHT),
    "5": ((0, 158, 115), _INK),
    "6": ((175, 75, 140), _LIGHT),
    "#": ((110, 110, 110), _LIGHT),
}
"""The colour of a piece and that of the sign on it, by the digit of its seat; `#`: it is fixed."""

ALPHAS: Final = bytes((0, 85, 170))
"""How opaque the first colours of the palette are: they round the corners of the picture."""

# Radii, in steps from cell to cell.
_PIECE, _FALLEN, _DENT = 0.47, 0.29, 0.28
_ROUND: Final = 16  # pixels of radius at the corners
_MIDDLE: Final = (UNIT / 2, UNIT / 2)
_ARROW: Final = (
    *((0.26, 0.0), (0.02, 0.22), (0.02, 0.085), (-0.23, 0.085)),
    *((-0.23, -0.085), (0.02, -0.085), (0.02, -0.22)),
)


def place(ground: Ground, point: Point) -> Point:
    """Where a point of a ground is in its picture."""
    (x, y), (right, down) = point, ground.scale
    return ground.middle[0] + round(x * right, 9), ground.middle[1] + round(y * down, 9)


@cache
def palette() -> bytes:
    """The colours of all pictures, three bytes each."""
    edge = [_GROUND] * len(ALPHAS)
    return bytes(number for colour in (*edge, *_numbers()) for number in colour)


@cache
def board(ground: Ground) -> Image.Image:
    """The empty board with its labels."""
    width, height = ground.width, ground.height
    canvas, shape = Canvas(width, height, _GROUND), Canvas(width, height, _INK)
    canvas.polygon([place(ground, point) for point in ground.corners], _WELL, 0.55 * UNIT)
    for point in ground.cells:
        canvas.disc(place(ground, point), _DENT * UNIT, _HOLE)
    for label, point in ground.labels:
        canvas.text(place(ground, point), label, 0.5 * UNIT, _INK, 0.3)
    shape.polygon(_card(width, height), _LIGHT, _ROUND)
    # No shade between ground and well: on so faint an edge it would only cost bytes.
    image = canvas.indexed(_numbered(_shades((_GROUND, _INK), (_WELL, _HOLE))))
    return _cut_out(image, shape.grey())


@cache
def piece(seat: str, sign: str, *, came: bool = False) -> Image.Image:
    """A piece of a seat with its sign; `came`: in a ring, as it has just been moved here."""
    canvas = _stamp()
    colour, ink = PIECES[seat]
    canvas.disc(_MIDDLE, _PIECE * UNIT, _INK)
    if came:
        canvas.disc(_MIDDLE, 0.435 * UNIT, _LIGHT)
        canvas.disc(_MIDDLE, 0.355 * UNIT, _INK)
    canvas.disc(_MIDDLE, (0.325 if came else 0.435) * UNIT, colour)
    _draw_sign(canvas, sign, ink, 0.85 if came else 1.0)
    edges = ((_INK, _LIGHT),) * came
    return _finished(canvas, (_WELL, _INK), (_INK, colour), (colour, ink), *edges)


@cache
def fallen(seat: str, sign: str) -> Image.Image:
    """A piece that has left the board."""
    canvas = _stamp()
    colour, ink = PIECES[seat]
    canvas.disc(_MIDDLE, _FALLEN * UNIT, _INK)
    canvas.disc(_MIDDLE, (_FALLEN - 0.035) * UNIT, colour)
    _draw_sign(canvas, sign, ink, 0.7)
    return _finished(canvas, (_WELL, _INK), (_INK, colour), (colour, ink))


@cache
def arrow(towards: int) -> Image.Image:
    """A cell that was left, and where to: degrees, clockwise from the right."""
    canvas = _stamp()
    canvas.disc(_MIDDLE, 0.36 * UNIT, _INK)
    canvas.disc(_MIDDLE, 0.325 * UNIT, _LIGHT)
    canvas.polygon([_turned(point, towards) for point in _ARROW], _INK)
    return _finished(canvas, (_WELL, _INK), (_INK, _LIGHT))


@cache
def mask(*, small: bool = False) -> Image.Image:
    """What of a stamp belongs to it, not to its surroundings."""
    shape = Canvas(UNIT, UNIT, _INK)
    shape.disc(_MIDDLE, (_FALLEN if small else _PIECE) * UNIT, _LIGHT)
    return shape.grey().point(lambda value: 255 * (value > 96))


def _card(width: int, height: int) -> list[Point]:
    """The middles of the round corners of a picture."""
    right, bottom = width - _ROUND, height - _ROUND
    return [(_ROUND, _ROUND), (right, _ROUND), (right, bottom), (_ROUND, bottom)]


def _stamp() -> Canvas:
    return Canvas(UNIT, UNIT, _WELL)


def _draw_sign(canvas: Canvas, sign: str, ink: Colour, size: float) -> None:
    unit = size * UNIT
    x, y = _MIDDLE
    if sign == "o":
        canvas.circle(_MIDDLE, 0.2 * unit, 0.085 * unit, ink)
    elif sign == "x":
        arm = 0.16 * unit
        for down in (arm, -arm):
            canvas.line((x - arm, y - down), (x + arm, y + down), 0.095 * unit, ink)
    elif sign == "#":
        canvas.square(_MIDDLE, 0.18 * unit, 0.085 * unit, ink)
    else:
        canvas.text(_MIDDLE, sign, 0.64 * unit, ink, 0.025 * unit)


def _turned(point: Point, degrees: int) -> Point:
    (x, y), turn = point, radians(degrees)
    return (
        UNIT * (0.5 + x * cos(turn) - y * sin(turn)),
        UNIT * (0.5 + x * sin(turn) + y * cos(turn)),
    )


def _finished(canvas: Canvas, *edges: tuple[Colour, Colour]) -> Image.Image:
    """The image in the colours that meet at these edges: any other would blur the picture."""
    return canvas.indexed(_numbered(_shades(*edges)))


def _numbered(colours: Iterable[Colour]) -> dict[Colour, int]:
    return {colour: _numbers()[colour] for colour in colours}


def _shades(*edges: tuple[Colour, Colour]) -> list[Colour]:
    """The colours on both sides of edges, and one between them that makes an edge smooth."""
    return [colour for one, other in edges for colour in (one, other, _mixed(one, other))]


@cache
def _numbers() -> dict[Colour, int]:
    """The number of each colour in the palette."""
    edges = [(_GROUND, _INK), (_WELL, _HOLE), (_WELL, _INK), (_INK, _LIGHT)]
    for colour, ink in PIECES.values():
        edges += [(_INK, colour), (colour, ink)]
    return {
        colour: number for number, colour in enumerate(dict.fromkeys(_shades(*edges)), len(ALPHAS))
    }


def _mixed(one: Colour, other: Colour) -> Colour:
    red, green, blue = ((a + b) // 2 for a, b in zip(one, other, strict=True))
    return red, green, blue


def _cut_out(image: Image.Image, shape: Image.Image) -> Image.Image:
    """The image, made transparent beyond a shape and partly so at its edge."""
    steps = len(ALPHAS)
    edge = shape.point(lambda value: min(steps - 1, value * (steps + 1) // 256))
    inside = shape.point(lambda value: 255 * (value * (steps + 1) // 256 >= steps))
    edge.paste(image, mask=inside)
    return edge
