"""Thousands of random games beside the oracle: `make torture`, which prints its seed.

The same games as in the tests, but many and different ones each time. A game that disagrees stops
the run; its own seed is printed, and SEED=… plays the run again.
"""

import argparse
import random
import secrets
from collections import Counter
from collections.abc import Sequence

from tests.rules.random_games import compare, endgame, near_the_end
from tests.rules.random_positions import SETUPS


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and compare until the number of games is reached."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    options = parser.parse_args(arguments)
    print(f"{options.games} games, SEED={options.seed}", flush=True)
    ends: Counter[str] = Counter()
    for number in range(options.games):
        seed = f"{options.seed} {number}"
        try:
            ends[play_one(random.Random(seed), number)] += 1
        except AssertionError:
            print(f"game {number}, its own seed {seed!r}, does not agree")
            raise
    print(", ".join(f"{count} {how}" for how, count in sorted(ends.items())))


def play_one(dice: random.Random, number: int) -> str:
    """Play one game on both sides, each set-up in its turn; return how it ended."""
    if number % 4:
        setup = SETUPS[number % len(SETUPS)]
        position = compare(dice, near_the_end(dice, setup), leaving=0.02)
    else:
        players = dice.randrange(2, 7)
        teams = players == 4 and dice.random() < 0.5
        position = compare(dice, endgame(dice, players, teams), leaving=0.1)
    return position.outcome.by if position.outcome else "unfinished"


if __name__ == "__main__":
    main()
