"""Draws a curve of who was ahead in a game; above the middle line it was the first side."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from PIL import Image

from pbm.mail.writing.stamps import GROUND, HOLE, INK, NAME, PIECES, Canvas, Point

WIDTH, HEIGHT = 320, 104  # pixels of a page
MIDDLE = 46
_LEFT, _RIGHT, _HALF, _BOTTOM = 20, 310, 40, 95
_UNIT = 100  # hundredths, as the lead is given
_LEAST, _MOST = 2 * _UNIT, 6 * _UNIT  # bounds of the lead at the upper edge
_STEPS = (5, 10, 20, 50, 100, 200, 500, 1_000)  # plies from label to label
_MOST_LABELS = 7


def image(drawing: Mapping[str, Any]) -> Image.Image:
    """Draw the first side's lead over a game, given as `leads` in hundredths of a unit."""
    leads, plies = drawing["leads"], drawing["plies"]
    most = max(_LEAST, min(_MOST, max(map(abs, leads))))
    canvas = Canvas(WIDTH, HEIGHT, GROUND)
    step = next((step for step in _STEPS if plies // step <= _MOST_LABELS), plies)
    for ply in range(0, plies + 1, step):
        x = _LEFT + (_RIGHT - _LEFT) * ply / max(1, plies)
        canvas.line((x, MIDDLE - _HALF), (x, MIDDLE + _HALF), 0.5, HOLE)
        canvas.text((x, _BOTTOM), f"#{ply}", 11, INK)
    for lead in range(-most // _UNIT * _UNIT, most + 1, _UNIT):
        y = MIDDLE - _HALF * lead / most
        if abs(lead) <= most:
            canvas.line((_LEFT, y), (_RIGHT, y), 0.5, HOLE)
    for units in (most // _UNIT, -(most // _UNIT)):
        y = MIDDLE - _HALF * units * _UNIT / most
        canvas.text((_LEFT / 2, y), str(abs(units)), 11, INK)
    points = list(_points(leads, most))
    for seat, side in (("1", min), ("2", max)):  # y goes down
        edge = [(x, side(y, float(MIDDLE))) for x, y in points]
        canvas.polygon([(_LEFT, MIDDLE), *edge, (_RIGHT, MIDDLE)], PIECES[seat][0])
    for one, other in pairwise(points):
        canvas.line(one, other, 1, INK)
    canvas.line((_LEFT, MIDDLE), (_RIGHT, MIDDLE), 1, NAME)
    return canvas.finished(GROUND, HOLE, NAME, INK, *(PIECES[seat][0] for seat in "12"))


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


def in_words(drawing: Mapping[str, Any]) -> str:
    """Describe how far the first side was ahead, at about eight moves and at the last one.

    `leads` are in hundredths of a unit. A lead of 10 units or more means a forced win.

    >>> in_words({"leads": [0, -20, -110, -1000], "plies": 3})
    'from move to move 0.0, -0.2, -1.1, won by force'
    """
    leads = drawing["leads"]
    some = [*leads[: -1 : max(1, len(leads) // 8)], leads[-1]]
    return "from move to move " + ", ".join(
        "won by force" if abs(lead) >= 10 * _UNIT else f"{lead / _UNIT:.1f}" for lead in some
    )
