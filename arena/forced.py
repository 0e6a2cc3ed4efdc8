"""Positions in which an ejection is forced: does the strongest robot find it?

Both lack a single marble to win, so that the ejection is what matters. With other scores something
is often better than to take a marble, and the robot rightly does it first.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

from arena.games import FOR_TWO, after
from arena.ladder import robot
from arena.opponents import Player
from arena.plan import Plan, table
from arena.proof import forced_in, still_forced
from pbm.robots.players import BOULDER
from pbm.rules.abalone import GAME
from pbm.rules.abalone.game import AbalonePosition
from pbm.rules.abalone.position import EJECTIONS_TO_WIN

KINDS = {1: 20, 3: 40, 5: 40}
"""How many positions there are in which an ejection is forced in so many plies and no fewer."""

_LATER = 2
_ONE_TO_GO = (EJECTIONS_TO_WIN - 1,) * 2


def forced(plan: Plan) -> str:
    """How many of the forced ejections are found, by the plies that they take."""
    player = robot(BOULDER)
    rows = []
    for plies, usual in KINDS.items():
        count = usual if plan.games is None else plan.games
        shown = [(position, plies) for position in positions(plan.seed, plies, count)]
        late = plan.run(Finder(player), shown)
        rows.append((plies, count, late.count(0), late.count(_LATER)))
        print(*rows[-1], flush=True)
    rows.append(("all", *(sum(row[column] for row in rows) for column in (1, 2, 3))))
    return table(("forced in plies", "positions", "found", f"forced {_LATER} plies later"), rows)


class Finder:
    """A player who is shown positions."""

    def __init__(self, player: Player) -> None:
        self.player = player

    def __call__(self, shown: tuple[AbalonePosition, int]) -> int | None:
        """By how many plies its move puts off a win that could be forced in so many; None if it
        cannot be forced any more, or only later than that."""
        position, plies = shown
        move = position.parse(self.player([position], 1), position.to_move[0])
        played = after(position, move).inner
        if played.outcome:
            return 0
        return next((late for late in (0, _LATER) if still_forced(played, plies - 1 + late)), None)


def positions(seed: int, plies: int, count: int) -> Iterator[AbalonePosition]:
    """Positions from random play, but for the scores, in which whoever is to move forces an
    ejection in so many plies and no fewer."""
    dice = random.Random(f"{seed} forced {plies}")
    while count:
        position = _drawn(dice)
        if position.to_move and forced_in(position.inner, plies) == plies:
            count -= 1
            yield AbalonePosition(replace(position.inner, scores=_ONE_TO_GO))


def _drawn(dice: random.Random) -> AbalonePosition:
    """A position from random play, in line more often than not, so that the armies meet."""
    position = dice.choice(FOR_TWO).start()
    for _ in range(dice.randrange(20, 80)):
        if not position.to_move:
            break
        moves = GAME.moves(position)
        in_line = [move for move in moves if move.in_line] if dice.random() < 0.7 else []
        position = after(position, dice.choice(in_line or moves))
    return position
