"""What is done about a thought, a line for each kind of it."""

from collections.abc import Mapping

from pbm.service.robots import analyses, draws, hints, moves
from pbm.service.robots.thinking import Kind
from pbm.store.values.thoughts import ThoughtKind

THOUGHTS: Mapping[str, Kind] = {
    ThoughtKind.MOVE: moves.MOVES,
    ThoughtKind.HINT: hints.HINTS,
    ThoughtKind.ANALYSIS: analyses.ANALYSES,
    ThoughtKind.DRAW: draws.DRAWS,
}
