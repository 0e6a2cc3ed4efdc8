"""Whether a robot accepts a draw offer."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.robots.players import ROBOTS, Robot
from pbm.robots.thinking import Course
from pbm.rules.contract import WON, Claims, Game, Position, Searches
from pbm.rules.registry import game_named
from pbm.rules.sides import turn

EVEN = 50  # score in hundredths; a smaller lead counts as even
QUIET, STILL = 30, 60  # moves of each seat since an irreversible one
_TWO = 2


@dataclass(frozen=True, slots=True)
class RobotStanding:
    """A robot's lead over the best opponent, in the unit of `Line.score`, and the number of
    moves of each seat since an irreversible one."""

    ahead: int
    quiet: int

    @property
    def takes_draw(self) -> bool:
        """Whether to accept a draw: always if behind, else once the game makes no progress.

        Otherwise an early offer would win a draw against a stronger robot.

        >>> [RobotStanding(*each).takes_draw for each in ((-50, 0), (0, 0), (0, 30))]
        [True, False, True]
        >>> [RobotStanding(*each).takes_draw for each in ((200, 30), (200, 60), (WON, 60))]
        [False, True, False]
        """
        if self.ahead >= WON:
            return False
        if self.quiet >= STILL or self.ahead <= -EVEN:
            return True
        return self.quiet >= QUIET and self.ahead < EVEN


def quiet_moves(game: Game, position: Position) -> int:
    """The number of moves of each seat since an irreversible one."""
    plies = game.reversible(position) if isinstance(game, Claims) else 0
    return plies // len(position.sides)


def standing(robot: str, course: Course, seat: int, seed: int) -> RobotStanding:
    """The standing of a robot in `seat`, whoever is to move. Raises RulesError."""
    game, positions = game_named(course.game), course.positions()
    quiet = quiet_moves(game, positions[-1])
    if not isinstance(game, Searches):
        return RobotStanding(0, quiet)
    return RobotStanding(_ahead(ROBOTS[robot], game, positions, seat, seed), quiet)


def _ahead(
    robot: Robot, game: Searches, positions: Sequence[Position], seat: int, seed: int
) -> int:
    """The lead of a seat's side over the best opponent, by the best line."""
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
