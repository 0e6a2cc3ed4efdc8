"""Shapes with smooth edges: drawn several times larger than they will be, then made smaller.

All lengths are in pixels as a page counts them, from the upper left corner; the finished image has
`DENSITY` pixels for each of them, so that it is sharp on the screens of phones.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Point = tuple[float, float]

DENSITY: Final = 2
"""How many pixels of the image are one pixel of a page, across and down."""

_TIMES: Final = 8
_SMALLER: Final = _TIMES // DENSITY


class Canvas:
    """A drawing of so many pixels, of one colour to begin with."""

    def __init__(self, width: int, height: int, colour: Colour) -> None:
        self._image = Image.new("RGB", (width * _TIMES, height * _TIMES), colour)
        self._pen = ImageDraw.Draw(self._image)

    def disc(self, middle: Point, radius: float, colour: Colour) -> None:
        """A filled circle."""
        self._pen.ellipse(_around(middle, radius), fill=colour)

    def circle(self, middle: Point, radius: float, width: float, colour: Colour) -> None:
        """A line of that width just inside the radius."""
        self._pen.ellipse(_around(middle, radius), outline=colour, width=round(width * _TIMES))

    def square(self, middle: Point, radius: float, width: float, colour: Colour) -> None:
        """A line of that width round a square."""
        self._pen.rectangle(_around(middle, radius), outline=colour, width=round(width * _TIMES))

    def line(self, one: Point, other: Point, width: float, colour: Colour) -> None:
        """A straight line with round ends."""
        ends = [(x * _TIMES, y * _TIMES) for x, y in (one, other)]
        self._pen.line(ends, fill=colour, width=round(width * _TIMES))
        for end in (one, other):
            self.disc(end, width / 2, colour)

    def polygon(self, corners: Sequence[Point], colour: Colour, margin: float = 0) -> None:
        """A filled polygon, and all within `margin` of it: so its corners become round."""
        self._pen.polygon([(x * _TIMES, y * _TIMES) for x, y in corners], fill=colour)
        if margin:
            for one, other in zip(corners, (*corners[1:], corners[0]), strict=True):
                self.line(one, other, 2 * margin, colour)

    def text(self, middle: Point, text: str, size: float, colour: Colour, bold: float = 0) -> None:
        """A character or a few, in the middle of a place; the font comes with the library.

        `bold` is by how much every stroke is thickened on each side.
        """
        x, y = middle
        self._pen.text(
            (x * _TIMES, y * _TIMES),
            text,
            fill=colour,
            font=_font(round(size * _TIMES)),
            anchor="mm",
            stroke_width=round(bold * _TIMES),
            stroke_fill=colour,
        )

    def indexed(self, colours: Mapping[Colour, int]) -> Image.Image:
        """The finished image; each pixel is the number of the nearest of the colours."""
        palette = Image.new("P", (1, 1))
        palette.putpalette([number for colour in colours for number in colour])
        small = self._image.reduce(_SMALLER).quantize(palette=palette, dither=Image.Dither.NONE)
        numbers = [*colours.values()]
        numbers += [0] * (256 - len(numbers))
        return Image.frombytes("L", small.size, small.tobytes()).point(numbers)

    def grey(self) -> Image.Image:
        """The finished image in shades of grey."""
        return self._image.convert("L").reduce(_SMALLER)


def _around(middle: Point, radius: float) -> tuple[float, float, float, float]:
    x, y = middle
    left, top, right, bottom = x - radius, y - radius, x + radius, y + radius
    # A filled shape includes its last pixel.
    return left * _TIMES, top * _TIMES, right * _TIMES - 1, bottom * _TIMES - 1


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
