"""A position as the shapes of a picture, for a template that writes SVG."""

from typing import Any

from pbm.play.views import ViewData
from pbm.rules.contract import Draws, Game, has

Point = tuple[float, float]


def shapes(game: Game, view: ViewData) -> dict[str, Any] | None:
    """Return what the picture of a board's view consists of; None if its game has no pictures."""
    drawn = view["picture"]
    if drawn is None or not has(game, Draws):
        return None
    ground = game.ground

    def at(point: Point) -> Point:
        (across, down), (left, top) = ground.scale, ground.middle
        return round(left + across * point[0], 1), round(top + down * point[1], 1)

    cells = [
        {"at": at(point), "sign": sign, "name": name}
        for point, sign, name in zip(ground.cells, drawn["signs"], ground.names, strict=True)
    ]
    last = drawn["moves"][-1] if drawn["moves"] else {"left": (), "came": ()}
    return {
        "width": ground.width,
        "height": ground.height,
        "corners": " ".join("{},{}".format(*at(point)) for point in ground.corners),
        "labels": [(text, at(point)) for text, point in ground.labels],
        "cells": cells,
        "left": [cells[place]["at"] for place in last["left"]],
        "came": [cells[place]["at"] for place in last["came"]],
    }
