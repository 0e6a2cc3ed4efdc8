"""Positions in which an ejection is forced: does the strongest robot find it?"""

import random
from collections.abc import Iterator

from arena.games import FOR_TWO, after
from arena.ladder import robot
from arena.opponents import Player
from arena.plan import Plan, table
from arena.proof import forced_in, still_forced
from pbm.robots.players import BOULDER
from pbm.rules.abalone.position import AbalonePosition

KINDS = {1: 20, 3: 40, 5: 40}
"""How many positions there are in which an ejection is forced in so many plies and no fewer."""

MOST = max(KINDS)


def forced(plan: Plan) -> str:
    """How many of the forced ejections are found, by the plies that they take."""
    player = robot(BOULDER)
    rows = []
    for plies, usual in KINDS.items():
        count = usual if plan.games is None else plan.games
        found = plan.run(
            Finder(player), [(position, plies) for position in positions(plan.seed, plies, count)]
        )
        rows.append((f"{plies} plies", count, sum(found)))
        print(*rows[-1], flush=True)
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    return table(("forced in", "positions", "found"), rows)


class Finder:
    """A player who is shown positions."""

    def __init__(self, player: Player) -> None:
        self.player = player

    def __call__(self, shown: tuple[AbalonePosition, int]) -> bool:
        """Whether its move ejects a marble, or an ejection is still forced in `MOST` plies in all.

        Where one can be forced sooner, something else may be better to do first.
        """
        position, _ = shown
        move = position.parse(self.player([position], 1), position.to_move[0])
        played = after(position, move)
        return played.quiet == 0 or still_forced(played, MOST - 1)


def positions(seed: int, plies: int, count: int) -> Iterator[AbalonePosition]:
    """Positions from random play in which an ejection is forced in so many plies and no fewer."""
    dice = random.Random(f"{seed} forced {plies}")
    while count:
        position = _drawn(dice)
        if position.to_move and forced_in(position, plies) == plies:
            count -= 1
            yield position


def _drawn(dice: random.Random) -> AbalonePosition:
    """A position from random play, in line more often than not, so that the armies meet."""
    position = dice.choice(FOR_TWO).start()
    for _ in range(dice.randrange(20, 80)):
        if not position.to_move:
            break
        moves = position.legal_moves()
        in_line = [move for move in moves if move.in_line] if dice.random() < 0.7 else []
        position = after(position, dice.choice(in_line or moves))
    return position
