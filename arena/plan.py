"""How much is played: the seed, the number of games, and on how many processes."""

import random
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

FAST_NODES = 30_000
"""What the strongest robot looks at in fast games."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run of the arena was asked for.

    `games` are played, of each kind, instead of as many as a part would by itself; `nodes` are for
    `FAST_NODES`.
    """

    seed: int
    games: int | None = None
    nodes: int = FAST_NODES
    jobs: int = 1

    def count(self, usual: int) -> int:
        """How many games of a kind, where by itself it would be so many; always in pairs."""
        wanted = usual if self.games is None else self.games
        return wanted + wanted % 2

    def seeds(self, part: str, number: int) -> list[int]:
        """The seeds of so many games of a part, always the same ones."""
        dice = random.Random(f"{self.seed} {part}")
        return [dice.randrange(1, 2**31) for _ in range(number)]

    def run(self, work: Callable[[T], R], things: Iterable[T]) -> list[R]:
        """Do some work on each of many things, in their order, on one process or several."""
        if self.jobs == 1:
            return [work(thing) for thing in things]
        with ProcessPoolExecutor(self.jobs) as pool:
            return list(pool.map(work, things))


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
