"""What is done about a thought, a line for each kind of it."""

from collections.abc import Mapping

from pbm.play.awaited import MOVE
from pbm.service.robots import moves
from pbm.service.robots.thinking import Kind

THOUGHTS: Mapping[str, Kind] = {
    MOVE: moves.MOVES,
}
