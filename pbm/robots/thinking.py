"""How robots choose moves and answer draw offers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbm.rules.contract import (
    WON,
    Budget,
    Claims,
    Game,
    Position,
    Searches,
    SearchResult,
    Step,
    Suggests,
    has,
)
from pbm.rules.record import positions
from pbm.rules.registry import game_named
from pbm.rules.robots import ADVISER, ROBOTS, Robot
from pbm.rules.sides import after, turn

_UNSEARCHED = SearchResult((), 0, 0)


class NoMoveError(ValueError):
    """No move can be found: the game is over, or cannot be searched."""


@dataclass(frozen=True, slots=True)
class RobotMove:
    move: str
    score: int | None = None  # of the best move that the search found
    found: SearchResult = _UNSEARCHED


@dataclass(frozen=True)
class Course:
    """The history of a board, as plain data that can be sent to another process."""

    game: str
    start: str  # a state line
    steps: tuple[Step, ...]

    def positions(self) -> list[Position]:
        """Return the earlier positions that may recur, then the last one. Raises RulesError."""
        return what_may_come_back(game_named(self.game), list(self.reached()))

    def reached(self) -> Iterator[Position]:
        """Return the position before each move, and the last position."""
        return positions(game_named(self.game).load(self.start), self.steps)


def what_may_come_back(game: Game, positions: Sequence[Position]) -> list[Position]:
    """Return the positions since the last irreversible move. Only they may occur again."""
    matter = game.reversible(positions[-1]) if has(game, Claims) else 0
    return list(positions[-matter - 1 :])


def think_about(robot: str, course: Course, seed: int, easier: int, most: float) -> RobotMove:
    """Return a robot's move on a board, as `think` does. Raises RulesError, NoMoveError.

    A slow robot searches for about `most` seconds.
    """
    game = game_named(course.game)
    return think(ROBOTS[robot].thinking(most), game, course.positions(), seed, easier=easier)


def think(
    robot: Robot, game: Game, positions: Sequence[Position], seed: int, *, easier: int = 0
) -> RobotMove:
    """Return the move that a robot plays in the last of `positions`. Raises NoMoveError.

    Each step of `easier` takes the next weaker robot, and at last any legal move.
    """
    position = positions[-1]
    if not has(game, Searches) or turn(position) is None:
        raise NoMoveError(f"no move of {game.info.name} can be thought of")
    if easier:
        weaker = [*ROBOTS.values()][: [*ROBOTS].index(robot.name)]
        if easier > len(weaker):
            return _any_move(game, position)
        robot = weaker[-easier]
    found = game.search(positions, robot.budget, best=robot.lines, seed=seed)
    if not found.lines:
        return _any_move(game, position)
    line = robot.choose(position, found.lines, seed)
    return RobotMove(line.moves[0], found.lines[0].score, found)


def _any_move(game: Searches, position: Position) -> RobotMove:
    if has(game, Suggests) and (moves := game.example_moves(position)):
        return RobotMove(moves[0])
    found = game.search([position], Budget(1, depth=1))
    if not found.lines:
        raise NoMoveError("nothing was found")
    return RobotMove(found.lines[0].moves[0])


EVEN = 50  # score in hundredths; a smaller lead counts as even
QUIET, STILL = 30, 60  # moves of each seat since an irreversible one


@dataclass(frozen=True, slots=True)
class RobotStanding:
    """How the game stands for a robot. Its answer to a draw offer depends on this."""

    ahead: int  # lead over the best opponent, in the unit of `Line.score`
    quiet: int  # moves of each seat since the last irreversible one

    @property
    def takes_draw(self) -> bool:
        """Whether the robot accepts a draw: if it is behind, or the game makes no progress.

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
    """Return how many moves each seat has made since the last irreversible move."""
    plies = game.reversible(position) if has(game, Claims) else 0
    return plies // len(position.sides)


def standing(robot: str, course: Course, seat: int, seed: int) -> RobotStanding:
    """Find by a search how the game stands for the robot in `seat`. Raises RulesError."""
    game, positions = game_named(course.game), course.positions()
    position = positions[-1]
    quiet, sides, own = quiet_moves(game, position), position.sides, position.sides[seat - 1]
    if not has(game, Searches):
        return RobotStanding(0, quiet)
    judge = min(ROBOTS[robot], ROBOTS[ADVISER], key=lambda item: item.seconds)
    found = game.search(positions, judge.budget, seed=seed)
    if not found.lines:
        return RobotStanding(0, quiet)
    best = found.lines[0]
    if sides[(turn(position) or seat) - 1] == own:
        return RobotStanding(best.score, quiet)
    if len(set(sides)) == 2:
        return RobotStanding(-best.score, quiet)
    for move in best.moves:
        position = after(position, move)
    values = list(zip(game.evaluate(position), sides, strict=True))
    others = max((value for value, side in values if side != own), default=0)
    return RobotStanding(max(value for value, side in values if side == own) - others, quiet)
