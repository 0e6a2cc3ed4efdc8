"""Set-ups of every kind, and positions from random play on them, the same ones in each run."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pbm.rules import abalone as rules


@dataclass(frozen=True)
class Setup:
    """Everything that a start is made of."""

    board: str
    players: int
    teams: bool = False
    pillar: bool = False

    def start(self) -> rules.AbalonePosition:
        return rules.start(self.board, self.players, teams=self.teams, pillar=self.pillar)

    def __str__(self) -> str:
        signs = (" teams" if self.teams else "") + (" pillar" if self.pillar else "")
        return f"{self.board} {self.players}{signs}"


def _every_setup() -> Iterator[Setup]:
    for board, numbers in rules.BOARDS.items():
        for players in numbers:
            for teams in (False, True) if players == 4 else (False,):
                setup = Setup(board, players, teams)
                yield setup
                if not setup.start().occupied >> 55 & 1:
                    yield Setup(board, players, teams, pillar=True)


SETUPS = sorted(_every_setup(), key=str)
"""Every board for every number of players, with and without teams and the pillar."""

# Shuffled, so that a few of them are already of several kinds.
_MIXED = random.Random(1).sample(SETUPS, len(SETUPS))
_FOR_TWO = [setup for setup in _MIXED if setup.players == 2 and not setup.pillar]


def some_positions(
    number: int, setups: Sequence[Setup] = _MIXED
) -> Iterator[rules.AbalonePosition]:
    """Positions in the middle of games, over some set-ups in turn."""
    for index in range(number):
        yield _in_the_middle(index, setups[index % len(setups)])


@cache  # several modules ask for the same ones
def _in_the_middle(seed: int, setup: Setup) -> rules.AbalonePosition:
    dice = random.Random(seed)
    position = setup.start()
    for _ in range(dice.randrange(15, 60)):
        moves = position.legal_moves()
        # In line more often than not, so that the armies meet.
        in_line = [move for move in moves if move.in_line] if seed % 3 else []
        after = position.play(dice.choice(in_line or moves)).position
        if after.turn is None:
            break
        position = after
    return position


def two_player_positions(number: int) -> Iterator[rules.AbalonePosition]:
    """Positions in the middle of games of two, on all boards for two."""
    return some_positions(number, _FOR_TWO)
