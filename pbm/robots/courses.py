"""How a board came to stand as it does, as plain data that goes to another process."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbm.robots.players import ROBOTS
from pbm.robots.thinking import Thought, think
from pbm.rules.contract import Claims, Game, Position
from pbm.rules.registry import game_named
from pbm.rules.sides import turn


@dataclass(frozen=True)
class Course:
    """A game's name, the state line that it began with, and what happened since: a move as its
    text, or a seat that left as its number."""

    game: str
    start: str
    steps: tuple[str | int, ...]

    def positions(self) -> list[Position]:
        """Those that may come back, oldest first, the current one last. Raises RulesError."""
        return what_may_come_back(game_named(self.game), list(self.reached()))

    def reached(self) -> Iterator[Position]:
        """The positions after each move, with whoever left then out of them."""
        position = game_named(self.game).load(self.start)
        for step in self.steps:
            if isinstance(step, int):
                position = position.leave(step)
                continue
            yield position
            position = position.play(position.parse(step, turn(position) or 1)).position
        yield position


def what_may_come_back(game: Game, positions: Sequence[Position]) -> list[Position]:
    """The last of a game's positions, behind those before it that may come back."""
    matter = game.reversible(positions[-1]) if isinstance(game, Claims) else 0
    return list(positions[-matter - 1 :])


def think_about(robot: str, course: Course, seed: int, easier: int) -> Thought:
    """What a robot finds on a board; an `easier` one thinks less. Raises RulesError."""
    game = game_named(course.game)
    return think(ROBOTS[robot], game, course.positions(), seed, easier=easier)
