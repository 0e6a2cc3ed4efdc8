"""What is done about a thought, a line for each kind of it."""

from collections.abc import Mapping

from pbm.play.analyses import ANALYSIS
from pbm.play.awaited import MOVE
from pbm.play.hints import HINT
from pbm.play.robot_answers import DRAW_THOUGHT
from pbm.service.robots import analyses, draws, hints, moves
from pbm.service.robots.thinking import Kind

THOUGHTS: Mapping[str, Kind] = {
    MOVE: moves.MOVES,
    HINT: hints.HINTS,
    ANALYSIS: analyses.ANALYSES,
    DRAW_THOUGHT: draws.DRAWS,
}
