"""Positions in which armies meet: what does the strongest robot's move lose?"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from arena.games import FOR_TWO, after
from arena.plan import Plan, table
from pbm.rules.abalone.engine.searching import evaluate, search
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import Budget
from pbm.rules.robots import ROBOTS

_DEEPER = 10


def tactics(plan: Plan) -> str:
    """The value that moves lose, as a search of ten times the nodes sees it."""
    count = plan.count(100)
    nodes = ROBOTS["boulder"].budget.nodes if plan.games is None else plan.nodes
    lost = sorted(plan.run(Loss(nodes), positions(plan.seed, count)))
    row = (f"{nodes:,}", count, lost.count(0), lost[count // 2], lost[count * 9 // 10], lost[-1])
    print(*row, flush=True)
    head = ("nodes", "positions", "nothing lost", "median", "90 of 100 at most", "worst")
    return table(head, [row])


@dataclass(frozen=True, slots=True)
class Loss:
    """What a search of some nodes loses in a position, in hundredths of a marble."""

    nodes: int

    def __call__(self, position: AbalonePosition) -> int:
        """The value of the move that ten times the nodes find, less that of the one found.

        Both are searched after the move, with ten times the nodes.
        """
        found, best = (
            search([position], Budget(self.nodes * times)).lines[0].moves[0]
            for times in (1, _DEEPER)
        )
        if found == best:
            return 0
        return max(0, self._value(position, best) - self._value(position, found))

    def _value(self, position: AbalonePosition, move: str) -> int:
        assert position.turn
        played = after(position, position.parse(move, position.turn))
        if played.turn is None:
            return evaluate(played)[position.turn - 1]
        value = search([played], Budget(self.nodes * _DEEPER)).lines[0].score
        return value if played.turn == position.turn else -value


def positions(seed: int, count: int) -> Iterator[AbalonePosition]:
    """Positions from random play, in line more often than not, so that the armies meet."""
    dice = random.Random(f"{seed} tactics")
    while count:
        position = _drawn(dice)
        if position.turn:
            count -= 1
            yield position


def _drawn(dice: random.Random) -> AbalonePosition:
    position = dice.choice(FOR_TWO).start()
    for _ in range(dice.randrange(20, 80)):
        if not position.turn:
            break
        moves = position.legal_moves()
        in_line = [move for move in moves if move.in_line] if dice.random() < 0.7 else []
        position = after(position, dice.choice(in_line or moves))
    return position
