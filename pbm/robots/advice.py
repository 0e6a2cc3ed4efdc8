"""What robots find for people: a hint on a board, and pieces of an analysis."""

from dataclasses import dataclass, replace
from typing import Any

from pbm.robots.analysis import Judged, Piece, judge, reasons
from pbm.robots.courses import Course
from pbm.robots.players import ROBOTS
from pbm.robots.thinking import think
from pbm.rules.registry import game_named

_LONGEST_LINE = 6  # plies of it that are told


@dataclass(frozen=True, slots=True)
class Advice:
    """A move, why it is good, and how the game may go on with it: `line` begins with it."""

    move: str
    line: tuple[str, ...]
    reasons: tuple[dict[str, Any], ...]


def advise(course: Course, seed: int, easier: int) -> Advice:
    """What the strongest robot would do on a board. Raises RulesError, NoMoveError."""
    game, positions = game_named(course.game), course.positions()
    thought = think([*ROBOTS.values()][-1], game, positions, seed, easier=easier)
    lines = (line.moves for line in thought.lines if line.moves[0] == thought.move)
    line = next(lines, (thought.move,))
    return Advice(thought.move, line[:_LONGEST_LINE], reasons(game, positions[-1], line))


def look_at(course: Course, piece: Piece) -> list[Judged]:
    """What comes of a piece of an analysis. Raises RulesError."""
    played = replace(course, steps=course.steps[: _until_the_last_move(course)])
    moves = [step for step in played.steps if isinstance(step, str)]
    return judge(game_named(course.game), list(played.reached()), moves, piece)


def _until_the_last_move(course: Course) -> int:
    """How many steps there are without the leavings after the last move."""
    moves = (number for number, step in enumerate(course.steps, 1) if isinstance(step, str))
    return max(moves, default=0)
