"""Positions from random play, the same ones in each run."""

import random
from collections.abc import Iterator

from pbm import rules


def some_positions(number: int) -> Iterator[rules.Position]:
    """Positions in the middle of games, over all boards and numbers of players in turn."""
    setups = [(board, players) for board, numbers in rules.BOARDS.items() for players in numbers]
    for index in range(number):
        dice = random.Random(index)
        position = rules.start(*setups[index % len(setups)])
        for _ in range(dice.randrange(15, 60)):
            moves = rules.legal_moves(position)
            # In line more often than not, so that the armies meet.
            move = dice.choice([move for move in moves if move.in_line] if index % 3 else moves)
            after = rules.play(position, move).position
            if after.turn is None:
                break
            position = after
        yield position
