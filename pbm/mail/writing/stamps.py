"""The stamps, small images of which a picture is composed: the empty board, pieces and marks.

For smooth edges a stamp is drawn at several times its size, then reduced. Lengths are in CSS pixels
of a page; such a pixel is `DENSITY` by `DENSITY` pixels of the image. The value of an image's
pixel is an index into the palette.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from math import cos, radians, sin
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from pbm.rules.contract import Ground

Colour = tuple[int, int, int]
Point = tuple[float, float]

DENSITY: Final = 2  # pixels of the image per pixel of a page, across and down
_TIMES: Final = 8
_SMALLER: Final = _TIMES // DENSITY


class Canvas:
    """A drawing of a given size in pixels, filled with one colour."""

    def __init__(self, width: int, height: int, colour: Colour) -> None:
        self._image = Image.new("RGB", (width * _TIMES, height * _TIMES), colour)
        self._pen = ImageDraw.Draw(self._image)

    def disc(self, middle: Point, radius: float, colour: Colour) -> None:
        self._pen.ellipse(_around(middle, radius), fill=colour)

    def circle(self, middle: Point, radius: float, width: float, colour: Colour) -> None:
        """Draw the outline of a circle, `width` wide, just inside the radius."""
        self._pen.ellipse(_around(middle, radius), outline=colour, width=round(width * _TIMES))

    def square(self, middle: Point, radius: float, width: float, colour: Colour) -> None:
        """Draw the outline of a square, `width` wide; `radius` is half a side."""
        self._pen.rectangle(_around(middle, radius), outline=colour, width=round(width * _TIMES))

    def line(self, one: Point, other: Point, width: float, colour: Colour) -> None:
        ends = [(x * _TIMES, y * _TIMES) for x, y in (one, other)]
        self._pen.line(ends, fill=colour, width=round(width * _TIMES))
        for end in (one, other):
            self.disc(end, width / 2, colour)

    def polygon(self, corners: Sequence[Point], colour: Colour, margin: float = 0) -> None:
        """Draw a filled polygon, widened by `margin`, which rounds its corners."""
        self._pen.polygon([(x * _TIMES, y * _TIMES) for x, y in corners], fill=colour)
        if margin:
            for one, other in zip(corners, (*corners[1:], corners[0]), strict=True):
                self.line(one, other, 2 * margin, colour)

    def text(
        self,
        middle: Point,
        text: str,
        size: float,
        colour: Colour,
        bold: float = 0,
        anchor: str = "mm",
    ) -> None:
        """Draw a short text at a point. `bold` widens the strokes; `anchor` is as in Pillow."""
        x, y = middle
        self._pen.text(
            (x * _TIMES, y * _TIMES),
            text,
            fill=colour,
            font=_font(round(size * _TIMES)),
            anchor=anchor,
            stroke_width=round(bold * _TIMES),
            stroke_fill=colour,
        )

    def name(self, middle: Point, name: str, size: float, colour: Colour, bold: float = 0) -> None:
        """Draw a cell's name, each character at a fixed place, which makes the file smaller."""
        x, y = middle
        for text, anchor in ((name[:1], "rm"), (name[1:], "lm")):
            self.text((x, y), text, size, colour, bold, anchor)

    def finished(self, *colours: Colour) -> Image.Image:
        """Return the image as palette indexes; each pixel gets the nearest of the given colours."""
        numbers = {colour: _NUMBERS[colour] for colour in colours}
        return _indexed(self._image.reduce(_SMALLER), numbers)

    def grey(self) -> Image.Image:
        return self._image.convert("L").reduce(_SMALLER)


def _indexed(image: Image.Image, colours: Mapping[Colour, int]) -> Image.Image:
    palette = Image.new("P", (1, 1))
    palette.putpalette([number for colour in colours for number in colour])
    nearest = image.quantize(palette=palette, dither=Image.Dither.NONE)
    numbers = [*colours.values()]
    numbers += [0] * (256 - len(numbers))
    return Image.frombytes("L", image.size, nearest.tobytes()).point(numbers)


def _around(middle: Point, radius: float) -> tuple[float, float, float, float]:
    x, y = middle
    left, top, right, bottom = x - radius, y - radius, x + radius, y + radius
    # A filled shape includes its last pixel.
    return left * _TIMES, top * _TIMES, right * _TIMES - 1, bottom * _TIMES - 1


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


UNIT: Final = 36  # pixels of a page between two cells

GROUND: Final = (214, 202, 177)
_WELL: Final = (230, 220, 198)
HOLE: Final = (208, 196, 169)  # an empty one
NAME: Final = (72, 62, 44)  # of a hole; strokes have this colour, too
INK: Final = (20, 20, 20)
_LIGHT: Final = (255, 255, 255)
_GREY: Final = (118, 113, 103)

# The colours of a piece and of its sign, by the digit of its seat; `#` is a fixed piece.
PIECES: Final[dict[str, tuple[Colour, Colour]]] = {
    "1": ((240, 170, 20), INK),
    "2": ((0, 90, 170), _LIGHT),
    "3": (_LIGHT, INK),
    "4": (INK, _LIGHT),
    "5": ((0, 158, 115), INK),
    "6": ((175, 75, 140), _LIGHT),
    "#": (_GREY, _LIGHT),
}

# An edge between two colours is smooth if the palette has a colour halfway between.
_HALF_NAME: Final = (140, 129, 107)
_HALF_SIGN: Final = {"2": (127, 172, 212), "6": (215, 165, 197)}

ALPHAS: Final = bytes((0, 128))  # of the first colours, which round the picture's corners

# With the transparent colours there are sixteen, so a pixel has four bits.
_COLOURS: Final = tuple(
    dict.fromkeys(
        (
            *(GROUND, _WELL, HOLE, NAME, _HALF_NAME, INK, _GREY, _LIGHT),
            *(colour for colour, _ in PIECES.values()),
            *_HALF_SIGN.values(),
        )
    )
)
PALETTE: Final = bytes(
    number for colour in (*[GROUND] * len(ALPHAS), *_COLOURS) for number in colour
)

_NUMBERS: Final = {colour: number for number, colour in enumerate(_COLOURS, len(ALPHAS))}

PIECE, FALLEN, KEY = 0.43, 0.29, 0.27  # radii in steps from cell to cell
_RIM, _CAME, _DENT = 0.035, 0.3, 0.37
_NAME_SIZE: Final = 0.34
_PIECE_NAME_SIZE: Final = 0.4
_MOST_LEFT: Final = 128  # cached holes with arrows, of 5 KB each
_ROUND: Final = 16  # pixels of radius at the corners
_MIDDLE: Final = (UNIT / 2, UNIT / 2)
_TAG_ROUND: Final = 2.5  # pixels around the corners of a number
NUMBER: Final = (12.5, 6.5)  # half the width and height of a number, in pixels of a page
_ORDINALS: Final = {1: "st", 2: "nd", 3: "rd"}
_OBLONG: Final = tuple(
    (UNIT / 2 + across * (NUMBER[0] - _TAG_ROUND), UNIT / 2 + down * (NUMBER[1] - _TAG_ROUND))
    for across, down in ((-1, -1), (1, -1), (1, 1), (-1, 1))
)
_HEAD: Final = ((0.5, 0.0), (0.28, 0.21), (0.28, -0.21))  # of an arrow that leaves a hole


def place(ground: Ground, point: Point) -> Point:
    """Convert a point of a board (`ground`) to a position in CSS pixels of a page."""
    (x, y), (right, down) = point, ground.scale
    return ground.middle[0] + round(x * right, 9), ground.middle[1] + round(y * down, 9)


@cache
def board(ground: Ground) -> Image.Image:
    width, height = ground.width, ground.height
    canvas, shape = Canvas(width, height, GROUND), Canvas(width, height, INK)
    canvas.polygon([place(ground, point) for point in ground.corners], _WELL, 0.55 * UNIT)
    for one, other in ground.strokes:
        canvas.line(place(ground, one), place(ground, other), 1, NAME)
    for name, point in zip(ground.names, ground.cells, strict=True):
        canvas.disc(place(ground, point), _DENT * UNIT, HOLE)
        canvas.name(place(ground, point), name, _NAME_SIZE * UNIT, NAME)
    for label, point in ground.labels:
        canvas.text(place(ground, point), label, 0.4 * UNIT, INK, 0.3)
    right, bottom = width - _ROUND, height - _ROUND
    corners = [(_ROUND, _ROUND), (right, _ROUND), (right, bottom), (_ROUND, bottom)]
    shape.polygon(corners, _LIGHT, _ROUND)
    image = canvas.finished(GROUND, _WELL, HOLE, NAME, _HALF_NAME, INK, _GREY)
    # Transparent beyond the shape, and partly so at its edge.
    steps, grey = len(ALPHAS), shape.grey()
    edge = grey.point(lambda value: min(steps - 1, value * (steps + 1) // 256))
    edge.paste(image, mask=grey.point(lambda value: 255 * (value * (steps + 1) // 256 >= steps)))
    return edge


def halved(image: Image.Image) -> Image.Image:
    """Reduce a picture to one image pixel per CSS pixel, for a smaller file."""
    corners = image.point(lambda number: 255 * (number < len(ALPHAS))).reduce(DENSITY)
    image.putpalette(PALETTE)
    small = _indexed(image.convert("RGB").reduce(DENSITY), _NUMBERS)
    small.paste(0, mask=corners.point(lambda value: 255 * (value > 127)))
    return small


@cache
def piece(seat: str, sign: str, *, came: bool = False, fallen: bool = False) -> Image.Image:
    """Draw a piece with a sign. It may have just moved here, or have left the board."""
    canvas = Canvas(UNIT, UNIT, _WELL)
    colour, ink = PIECES[seat]
    radius, size = (FALLEN, 0.7) if fallen else (PIECE, 0.85 if came else 1.0)
    canvas.disc(_MIDDLE, radius * UNIT, INK)
    if came:
        canvas.disc(_MIDDLE, (radius - _RIM) * UNIT, _LIGHT)
        canvas.disc(_MIDDLE, (_CAME + _RIM) * UNIT, INK)
    canvas.disc(_MIDDLE, (_CAME if came else radius - _RIM) * UNIT, colour)
    _draw_sign(canvas, sign, ink, size)
    return canvas.finished(*_colours_of(seat), *(_LIGHT,) * came)


@lru_cache(maxsize=_MOST_LEFT)
def left(name: str, towards: int) -> Image.Image:
    """Draw the hole that a piece left, with an arrow `towards` degrees clockwise from the right."""
    canvas = Canvas(UNIT, UNIT, _WELL)
    canvas.disc(_MIDDLE, _DENT * UNIT, INK)
    right, down = UNIT * cos(radians(towards)), UNIT * sin(radians(towards))
    x, y = _MIDDLE
    head = [(x + at * right - by * down, y + at * down + by * right) for at, by in _HEAD]
    canvas.polygon(head, INK)
    canvas.disc(_MIDDLE, (_DENT - 0.05) * UNIT, _LIGHT)
    canvas.name(_MIDDLE, name, _NAME_SIZE * UNIT, INK)
    return canvas.finished(_WELL, INK, _GREY, _LIGHT)


@cache
def number(which: int) -> Image.Image:
    """Draw the number of a marked move, such as 2nd, in an oblong."""
    canvas = _tag(_LIGHT, INK, 0)
    text = f"{which}{_ORDINALS.get(which, 'th')}"
    canvas.text(_MIDDLE, text, 0.34 * UNIT, _LIGHT, 0.3)
    return canvas.finished(INK, _GREY, _LIGHT)


@cache
def number_mask() -> Image.Image:
    """Return the mask for pasting an image from `number`. The mask is the oblong with a rim."""
    return _tag(INK, _LIGHT, 1).grey().point(lambda value: 255 * (value > 96), "1")


def _tag(ground: Colour, colour: Colour, rim: float) -> Canvas:
    """Return a stamp filled with `ground`, with an oblong in `colour` on it."""
    canvas = Canvas(UNIT, UNIT, ground)
    canvas.polygon(_OBLONG, colour, _TAG_ROUND + rim)
    return canvas


@cache
def key(seat: str, sign: str) -> Image.Image:
    """Draw a seat's colour and sign, for pictures whose pieces show the names of cells."""
    canvas = Canvas(2 * UNIT, UNIT, GROUND)
    colour, _ = PIECES[seat]
    canvas.disc(_MIDDLE, KEY * UNIT, INK)
    canvas.disc(_MIDDLE, (KEY - _RIM) * UNIT, colour)
    canvas.text((1.3 * UNIT, UNIT / 2), f"= {sign}", 0.5 * UNIT, INK, 0.3)
    return canvas.finished(GROUND, *_colours_of(seat))


@cache
def mask(radius: float) -> Image.Image:
    """Return the mask for a round stamp; `radius` is a fraction of the stamp's width."""
    shape = Canvas(UNIT, UNIT, INK)
    shape.disc(_MIDDLE, radius * UNIT, _LIGHT)
    return shape.grey().point(lambda value: 255 * (value > 96), "1")


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
    elif len(sign) == 1:
        canvas.text(_MIDDLE, sign, 0.56 * unit, ink, 0.025 * unit)
    else:
        canvas.name(_MIDDLE, sign, _PIECE_NAME_SIZE * UNIT, ink, 0.4)


def _colours_of(seat: str) -> list[Colour]:
    half = [_HALF_SIGN[seat]] if seat in _HALF_SIGN else []
    return [_WELL, INK, _GREY, *PIECES[seat], *half]
