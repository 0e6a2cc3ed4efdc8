"""Whether a robot takes a draw that it is offered."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.robots.courses import Course
from pbm.robots.players import ROBOTS, Robot
from pbm.rules.contract import WON, Claims, Game, Position, Searches
from pbm.rules.registry import game_named
from pbm.rules.sides import turn

EVEN = 50  # hundredths of what one unit of the score is worth: less than that is no lead
QUIET, STILL = 30, 60  # moves of each seat since anything happened that cannot come back
_TWO = 2


@dataclass(frozen=True, slots=True)
class Standing:
    """How a robot stands: `ahead` of the best of the others, in the unit of `Line.score`, and how
    many moves each seat has made since anything happened that cannot come back."""

    ahead: int
    quiet: int

    @property
    def takes_draw(self) -> bool:
        """Whether a draw is good enough.

        Who stands worse takes one at any time. Who does not, takes it once nothing moves: else
        whoever asks for a draw early could have one from a stronger robot.

        >>> Standing(-50, 0).takes_draw, Standing(0, 0).takes_draw, Standing(0, 30).takes_draw
        (True, False, True)
        >>> Standing(200, 30).takes_draw, Standing(200, 60).takes_draw, Standing(WON, 60).takes_draw
        (False, True, False)
        """
        if self.ahead >= WON:
            return False
        if self.quiet >= STILL or self.ahead <= -EVEN:
            return True
        return self.quiet >= QUIET and self.ahead < EVEN


def quiet_moves(game: Game, position: Position) -> int:
    """How many moves each seat has made since anything happened that cannot come back."""
    plies = game.reversible(position) if isinstance(game, Claims) else 0
    return plies // len(position.sides)


def standing(robot: str, course: Course, seat: int, seed: int) -> Standing:
    """How a robot stands in `seat`, whoever is to move. Raises RulesError."""
    game, positions = game_named(course.game), course.positions()
    quiet = quiet_moves(game, positions[-1])
    if not isinstance(game, Searches):
        return Standing(0, quiet)
    return Standing(_ahead(ROBOTS[robot], game, positions, seat, seed), quiet)


def _ahead(
    robot: Robot, game: Searches, positions: Sequence[Position], seat: int, seed: int
) -> int:
    """How much better a seat's side stands than the best of the others, by the best line."""
    found = game.search(positions, robot.budget, seed=seed)
    position = positions[-1]
    sides, own = position.sides, position.sides[seat - 1]
    if not found.lines:
        return 0
    best = found.lines[0]
    to_move = sides[(turn(position) or seat) - 1]
    if to_move == own:
        return best.score
    if len(set(sides)) == _TWO:
        return -best.score
    for move in best.moves:
        position = position.play(position.parse(move, turn(position) or seat)).position
    values = list(zip(game.evaluate(position), sides, strict=True))
    others = max((value for value, side in values if side != own), default=0)
    return max(value for value, side in values if side == own) - others
