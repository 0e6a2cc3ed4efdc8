"""How a robot comes to its move: a function of the position and a seed, and of nothing else."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from pbm.robots.players import Robot, weaker
from pbm.rules.contract import (
    WON,
    Budget,
    Found,
    Game,
    Line,
    Position,
    Searches,
    Suggests,
    TellsThreats,
)
from pbm.rules.sides import turn


class NoMoveError(ValueError):
    """A game in which no move can be found: it is over, or it offers no search."""


@dataclass(frozen=True, slots=True)
class Thought:
    """The move that a robot plays, and what it saw: as a search tells it (`contract.Line`).

    `score` is that of the move, None where nothing was searched. `by` names the core.
    """

    move: str
    score: int | None = None
    lines: tuple[Line, ...] = ()
    depth: int = 0
    nodes: int = 0
    by: str = ""
    cut: bool = False


def think(
    robot: Robot, game: Game, positions: Sequence[Position], seed: int, *, easier: int = 0
) -> Thought:
    """The move of a robot in the last of these positions, the others as for `Searches.search`.

    Each step of `easier` lets the next weaker robot think; beyond the weakest nothing is searched,
    and any legal move is played. The same arguments give the same move, as long as no time limit
    is met. Raises NoMoveError.
    """
    if not isinstance(game, Searches) or turn(positions[-1]) is None:
        raise NoMoveError(f"no move of {game.info.name} can be thought of")
    if easier >= len(_downwards(robot)):
        return _any_move(game, positions[-1])
    robot = _downwards(robot)[easier]
    found = game.search(positions, robot.budget, best=robot.lines, seed=seed)
    if not found.lines:
        return _any_move(game, positions[-1])
    line = _chosen(robot, game, positions[-1], found.lines, seed)
    return _thought(line, found)


def _downwards(robot: Robot) -> list[Robot]:
    """A robot, the next weaker one, and so on."""
    found = [robot]
    while (below := weaker(found[-1])).name != found[-1].name:
        found.append(below)
    return found


def _any_move(game: Game, position: Position) -> Thought:
    """A legal move that nobody has thought about."""
    if isinstance(game, Suggests) and (move := game.example_move(position)):
        return Thought(move)
    assert isinstance(game, Searches)
    found = game.search([position], Budget(1, depth=1))
    if not found.lines:
        raise NoMoveError("nothing was found")
    return Thought(found.lines[0].moves[0])


def _chosen(robot: Robot, game: Game, position: Position, lines: Sequence[Line], seed: int) -> Line:
    """One of the lines that the robot does not tell apart."""
    dice = random.Random(f"{seed} {position.state()}")
    if robot.careful and isinstance(game, TellsThreats):
        lines = _safest(game, position, lines)
    if dice.random() < robot.whims and lines[0].score < WON:
        return dice.choice(lines[-len(lines) // 4 :])
    return dice.choice([line for line in lines if line.score >= lines[0].score - robot.within])


def _safest(game: TellsThreats, position: Position, lines: Sequence[Line]) -> Sequence[Line]:
    """The lines whose move leaves least to be taken at once."""
    seat = turn(position)
    assert seat is not None

    def left(line: Line) -> int:
        after = position.play(position.parse(line.moves[0], seat)).position
        return game.threatened(after, seat)

    taken = [left(line) for line in lines]
    return [line for line, count in zip(lines, taken, strict=True) if count == min(taken)]


def _thought(line: Line, found: Found) -> Thought:
    return Thought(
        line.moves[0], line.score, found.lines, found.depth, found.nodes, found.by, found.cut
    )
