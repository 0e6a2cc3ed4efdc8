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
Stamp = tuple[Image.Image, Image.Image | None]  # an image and its mask

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

    def width(self, text: str, size: float) -> float:
        return _font(round(size * _TIMES)).getlength(text) / _TIMES

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
MARK: Final = (190, 0, 45)  # of what was played last; no seat has it

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
CALLED: Final = dict(zip("123456", "orange blue white black green purple".split(), strict=True))

# An edge between two colours is smooth if the palette has a colour halfway between.
_HALF_NAME: Final = (140, 129, 107)
_HALF_MARK: Final = (222, 128, 145)
_HALF_SIGN: Final = {
    **dict.fromkeys(PIECES, _GREY),
    "1": (130, 95, 20),
    "2": (127, 172, 212),
    "6": (215, 165, 197),
}

# Sixteen colours, so that a pixel has four bits. With two seats, the last four are of the names.
_COLOURS: Final = (
    *(GROUND, _WELL, HOLE, NAME, _HALF_NAME, INK, _GREY, _LIGHT, MARK, _HALF_MARK),
    *(PIECES[seat][0] for seat in "1256"),
    *(_HALF_SIGN[seat] for seat in "26"),
)
_NUMBERS: Final = {colour: number for number, colour in enumerate(_COLOURS)}
_NAMES: Final = {"1": (12, 13), "2": (14, 15)}  # numbers of a name's colour, and of its edge's

PIECE, _LOST = 0.43, 0.23  # radii in steps from cell to cell
_RIM, _CAME, _DENT = 0.035, 0.3, 0.37
_NAME_SIZE: Final = 0.34
_PIECE_NAME_SIZE: Final = 0.4
_MOST_ARROWS: Final = 256  # cached, of 6 KB each
_MOST_STRIPS: Final = 64  # heads, and trays
_MIDDLE: Final = (UNIT / 2, UNIT / 2)
_TAG_ROUND: Final = 2.5  # pixels around the corners of an ordinal
_TAG_DOWN: Final = 8.5  # pixels from the middle of a piece to that of its ordinal
_ORDINALS: Final = {1: "st", 2: "nd", 3: "rd"}
_OBLONG: Final = tuple(
    (UNIT / 2 + across * 9, UNIT / 2 + _TAG_DOWN + down * 3.5)
    for across, down in ((-1, -1), (1, -1), (1, 1), (-1, 1))
)
# An arrow as wide as a name, in pixels along its direction and across.
_ARROW: Final = ((17, 0), (5, 13), (5, 8.5), (-12.5, 8.5), (-12.5, -8.5), (5, -8.5), (5, -13))
HEAD: Final = 36  # height in pixels of the lines above the board that tell whose pieces are whose
TRAY: Final = 20  # height of the place for lost pieces, above the board and below it
_TRAY_WIDE: Final = 116
PARTNER: Final = "Partner"  # the word above the board


def palette(named: str | None) -> tuple[Colour, ...]:
    """Return the colours of an image. With two seats, only the pieces of `named` show names.

    So both players can get one image with different palettes. With more seats, `named` is None.
    """
    if named is None:
        return _COLOURS
    names = (
        (ink, _HALF_SIGN[seat]) if seat in named else (colour, colour)
        for seat, (colour, ink) in ((seat, PIECES[seat]) for seat in _NAMES)
    )
    return (*_COLOURS[: len(_COLOURS) - 4], *(colour for pair in names for colour in pair))


def place(ground: Ground, point: Point) -> Point:
    """Convert a point of a board (`ground`) to a position in CSS pixels of a page."""
    (x, y), (right, down) = point, ground.scale
    up = HEAD + TRAY + ground.middle[1]
    return ground.middle[0] + round(x * right, 9), up + round(y * down, 9)


def height(ground: Ground) -> int:
    return HEAD + ground.height + 2 * TRAY


@cache
def board(ground: Ground) -> Image.Image:
    canvas = Canvas(ground.width, height(ground), GROUND)
    canvas.polygon([place(ground, point) for point in ground.corners], _WELL, 0.55 * UNIT)
    for one, other in ground.strokes:
        canvas.line(place(ground, one), place(ground, other), 1, NAME)
    for name, point in zip(ground.names, ground.cells, strict=True):
        canvas.disc(place(ground, point), _DENT * UNIT, HOLE)
        canvas.name(place(ground, point), name, _NAME_SIZE * UNIT, NAME)
    for label, point in ground.labels:
        canvas.text(place(ground, point), label, 0.4 * UNIT, INK, 0.3)
    return canvas.finished(GROUND, _WELL, HOLE, NAME, _HALF_NAME, INK, _GREY)


@lru_cache(maxsize=_MOST_STRIPS)
def head(width: int, captions: tuple[tuple[str, str, str], ...]) -> Image.Image:
    """Draw the line above the board, such as "You: orange", from words, seats and their signs."""
    canvas, x, pieces = Canvas(width, HEAD, GROUND), 14.0, list[tuple[Stamp, float]]()
    for word, seat, sign in captions:
        canvas.text((x, HEAD / 2), f"{word}:", 17, INK, 0.3, "lm")
        x += canvas.width(f"{word}:", 17) + 6
        pieces.append((piece(seat, sign, partner=word == PARTNER), x))
        x += UNIT + 2
        canvas.text((x, HEAD / 2), CALLED[seat], 17, INK, 0.3, "lm")
        x += canvas.width(CALLED[seat], 17) + 24
    image = canvas.finished(GROUND, INK, _GREY)
    for (stamp, mask), x in pieces:
        image.paste(stamp, (round(DENSITY * x), round(DENSITY * (HEAD - UNIT) / 2)), mask)
    return image


@lru_cache(maxsize=_MOST_STRIPS)
def tray(seat: str, sign: str, lost: int, last: int) -> Stamp:
    """Draw the pieces that a seat has lost; the `last` of them have a mark."""
    canvas = Canvas(_TRAY_WIDE, TRAY, GROUND)
    y = TRAY / 2
    canvas.polygon(((y, y), (_TRAY_WIDE - y, y)), _WELL, y - 0.5)
    canvas.text((8, y), "lost", 12, NAME, 0.2, "lm")
    colour, ink = PIECES[seat]
    for at in range(lost):
        middle = 44 + at * min(2 * _LOST * UNIT, (_TRAY_WIDE - 54) / lost), y
        canvas.disc(middle, _LOST * UNIT, MARK if at >= lost - last else INK)
        canvas.disc(middle, (_LOST - (2 if at >= lost - last else 1) * _RIM) * UNIT, colour)
        canvas.text(middle, sign, 12, ink, 0.2)
    return canvas.finished(GROUND, _WELL, NAME, _HALF_NAME, INK, colour, ink, MARK), None


def halved(image: Image.Image, colours: Sequence[Colour]) -> Image.Image:
    """Reduce a picture to one image pixel per CSS pixel, for a smaller file."""
    image.putpalette(flat(colours))
    numbers = {colour: number for number, colour in enumerate(colours)}
    return _indexed(image.convert("RGB").reduce(DENSITY), numbers)


def flat(colours: Sequence[Colour]) -> bytes:
    return bytes(number for colour in colours for number in colour)


@cache
def piece(
    seat: str,
    sign: str,
    came: bool = False,
    partner: bool = False,
    which: int = 0,
    hidden: bool = False,
) -> Stamp:
    """Draw a piece with a sign, or with the name of its cell. It may have just moved here.

    `which` is the number of its move, if there are several. A `hidden` name is one that only some
    palettes show, see `palette`.
    """
    canvas, written = Canvas(UNIT, UNIT, _WELL), Canvas(UNIT, UNIT, INK)
    colour, ink = PIECES[seat]
    canvas.disc(_MIDDLE, PIECE * UNIT, MARK if came else INK)
    if came:
        canvas.disc(_MIDDLE, (_CAME + _RIM) * UNIT, INK if colour == _LIGHT else _LIGHT)
    canvas.disc(_MIDDLE, (_CAME if came else PIECE - _RIM) * UNIT, colour)
    if partner:
        canvas.circle(_MIDDLE, (0.26 if came else 0.36) * UNIT, 1.3, ink)
    marks = (MARK, _HALF_MARK, _LIGHT) if came else ()
    image = canvas.finished(_WELL, INK, _GREY, colour, ink, *marks)
    x, y = _MIDDLE
    if which:
        _draw_sign(written, sign, (x, y - 4.5), 0.55)
    else:
        _draw_sign(written, sign, _MIDDLE, 0.85 if came else 1)
    half = _NUMBERS.get(_HALF_SIGN[seat], _NUMBERS[_GREY])
    _ink(image, written, *(_NAMES[seat] if hidden else (_NUMBERS[ink], half)))
    if which:
        tag, text = Canvas(UNIT, UNIT, INK), Canvas(UNIT, UNIT, INK)
        tag.polygon(_OBLONG, _LIGHT, _TAG_ROUND)
        _ink(image, tag, _NUMBERS[MARK], _NUMBERS[MARK])
        text.text((x, y + _TAG_DOWN), ordinal(which), 10.5, _LIGHT, 0.2)
        _ink(image, text, _NUMBERS[_LIGHT], _NUMBERS[_HALF_MARK])
    return image, _disc()


def ordinal(which: int) -> str:
    return f"{which}{_ORDINALS.get(which, 'th')}"


@lru_cache(maxsize=_MOST_ARROWS)
def arrow(text: str, towards: int, size: float = 1) -> Stamp:
    """Draw an arrow `towards` degrees clockwise from the right."""
    canvas, shape = Canvas(UNIT, UNIT, MARK), Canvas(UNIT, UNIT, INK)
    right, down = size * cos(radians(towards)), size * sin(radians(towards))
    x, y = _MIDDLE
    corners = [(x + at * right - by * down, y + at * down + by * right) for at, by in _ARROW]
    shape.polygon(corners, _LIGHT)
    canvas.name(_MIDDLE, text, _NAME_SIZE * UNIT, _LIGHT, 0.3)
    return canvas.finished(MARK, _HALF_MARK, _LIGHT), _mask(shape)


@cache
def _disc() -> Image.Image:
    shape = Canvas(UNIT, UNIT, INK)
    shape.disc(_MIDDLE, PIECE * UNIT, _LIGHT)
    return _mask(shape)


def _mask(shape: Canvas) -> Image.Image:
    return shape.grey().point(lambda value: 255 * (value > 96), "1")


def _ink(image: Image.Image, written: Canvas, full: int, half: int) -> None:
    """Give pixels the palette's colour `full` where `written` is white, and `half` at its edges."""
    grey = written.grey()
    for number, least in ((half, 90), (full, 170)):
        image.paste(number, mask=grey.point([255 * (value > least) for value in range(256)], "1"))


def _draw_sign(canvas: Canvas, sign: str, middle: Point, size: float) -> None:
    unit = size * UNIT
    x, y = middle
    if sign == "o":
        canvas.circle(middle, 0.2 * unit, 0.085 * unit, _LIGHT)
    elif sign == "x":
        arm = 0.16 * unit
        for down in (arm, -arm):
            canvas.line((x - arm, y - down), (x + arm, y + down), 0.095 * unit, _LIGHT)
    elif sign == "#":
        canvas.square(middle, 0.18 * unit, 0.085 * unit, _LIGHT)
    elif len(sign) == 1:
        canvas.text(middle, sign, 0.56 * unit, _LIGHT, 0.025 * unit)
    else:
        canvas.name(middle, sign, _PIECE_NAME_SIZE * UNIT * min(1, size + 0.15), _LIGHT, 0.4)
