"""How a robot chooses its move: a pure function of the game so far and a seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbm.robots.players import ROBOTS, Robot, weaker
from pbm.rules.contract import (
    WON,
    Budget,
    Claims,
    Game,
    Line,
    Position,
    Searches,
    Suggests,
    TellsThreats,
)
from pbm.rules.registry import game_named
from pbm.rules.sides import turn


class NoMoveError(ValueError):
    """No move can be found: the game is over, or cannot be searched."""


@dataclass(frozen=True, slots=True)
class RobotMove:
    """A robot's move, and the result of its search (`contract.SearchResult`).

    `score` is that of the move, None without a search.
    """

    move: str
    score: int | None = None
    lines: tuple[Line, ...] = ()
    depth: int = 0
    nodes: int = 0
    by: str = ""
    cut: bool = False


@dataclass(frozen=True)
class Course:
    """The history of a board, as plain data for another process.

    `start` is the initial state line; a step is the text of a move, or the number of a seat that
    left.
    """

    game: str
    start: str
    steps: tuple[str | int, ...]

    def positions(self) -> list[Position]:
        """The positions that may be repeated, oldest first, the current one last. Raises
        RulesError."""
        return what_may_come_back(game_named(self.game), list(self.reached()))

    def reached(self) -> Iterator[Position]:
        """The positions after each move, without the seats that left then."""
        position = game_named(self.game).load(self.start)
        for step in self.steps:
            if isinstance(step, int):
                position = position.leave(step)
                continue
            yield position
            position = position.play(position.parse(step, turn(position) or 1)).position
        yield position


def what_may_come_back(game: Game, positions: Sequence[Position]) -> list[Position]:
    """The last of a game's positions, and those before it that may be repeated."""
    matter = game.reversible(positions[-1]) if isinstance(game, Claims) else 0
    return list(positions[-matter - 1 :])


def think_about(robot: str, course: Course, seed: int, easier: int) -> RobotMove:
    """A robot's move on a board; see `think`. Raises RulesError, NoMoveError."""
    game = game_named(course.game)
    return think(ROBOTS[robot], game, course.positions(), seed, easier=easier)


def think(
    robot: Robot, game: Game, positions: Sequence[Position], seed: int, *, easier: int = 0
) -> RobotMove:
    """A robot's move in the last of these positions, the others as for `Searches.search`.

    Each step of `easier` selects the next weaker robot; beyond the weakest any legal move is
    played. The same arguments give the same move, unless a time limit ends the search. Raises
    NoMoveError.
    """
    position = positions[-1]
    if not isinstance(game, Searches) or turn(position) is None:
        raise NoMoveError(f"no move of {game.info.name} can be thought of")
    for _ in range(easier):
        stronger, robot = robot, weaker(robot)
        if robot.name == stronger.name:
            return _any_move(game, position)
    found = game.search(positions, robot.budget, best=robot.lines, seed=seed)
    if not found.lines:
        return _any_move(game, position)
    line = _chosen(robot, game, position, found.lines, seed)
    return RobotMove(
        line.moves[0], line.score, found.lines, found.depth, found.nodes, found.by, found.cut
    )


def _any_move(game: Game, position: Position) -> RobotMove:
    """A legal move, with next to no search."""
    if isinstance(game, Suggests) and (move := game.example_move(position)):
        return RobotMove(move)
    assert isinstance(game, Searches)
    found = game.search([position], Budget(1, depth=1))
    if not found.lines:
        raise NoMoveError("nothing was found")
    return RobotMove(found.lines[0].moves[0])


def _chosen(robot: Robot, game: Game, position: Position, lines: Sequence[Line], seed: int) -> Line:
    """One of the lines that count as equal for the robot."""
    dice = random.Random(f"{seed} {position.state()}")
    if robot.careful and isinstance(game, TellsThreats):
        lines = _safest(game, position, lines)
    if dice.random() < robot.whims and lines[0].score < WON:
        return dice.choice(lines[-len(lines) // 4 :])
    return dice.choice([line for line in lines if line.score >= lines[0].score - robot.within])


def _safest(game: TellsThreats, position: Position, lines: Sequence[Line]) -> Sequence[Line]:
    """The lines after whose first move opponents can take the fewest pieces at once."""
    seat = turn(position)
    assert seat is not None

    def left(line: Line) -> int:
        after = position.play(position.parse(line.moves[0], seat)).position
        return game.threatened(after, seat)

    taken = [left(line) for line in lines]
    return [line for line, count in zip(lines, taken, strict=True) if count == min(taken)]
