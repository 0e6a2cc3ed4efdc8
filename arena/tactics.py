"""Positions from the middle of games: what do the moves of this version and an earlier one lose?"""

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from arena.games import FOR_TWO, after, opening
from arena.plan import Plan, table
from arena.sprt import EngineProcess
from bench.checkout import checked_out
from pbm.rules.abalone.engine.searching import evaluate, search
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import Budget
from pbm.rules.robots import ROBOTS

YARDSTICK = "8ab5d49c"
"""The version that others are held against."""

_DEEPER = 5
_PLIES = range(30, 110)
_QUICK = Budget(1_500)  # of the players of these games


def tactics(plan: Plan) -> str:
    """The value that moves lose, as a search of five times the nodes sees it."""
    count = plan.count(200)
    nodes = ROBOTS["boulder"].budget.nodes if plan.games is None else plan.nodes
    chosen = list(positions(plan.seed, count))
    with checked_out(YARDSTICK) as checkout:
        program = str(checkout.program.with_name("pbm-engine"))
        with closing(EngineProcess([program])) as engine:
            earlier = [engine.move(one.state(), [], 0, f"nodes {nodes}") for one in chosen]
    pairs = [(found(one, nodes), move) for one, move in zip(chosen, earlier, strict=True)]
    losses = plan.run(Judge(nodes * _DEEPER), zip(chosen, pairs, strict=True))
    head = ("nodes", "version", "positions", "nothing lost", "mean", "90 of 100 at most", "worst")
    rows = []
    for version, lost in zip(("this", YARDSTICK), zip(*losses, strict=True), strict=True):
        mean, high = sum(lost) / count, sorted(lost)[count * 9 // 10]
        rows.append((f"{nodes:,}", version, count, lost.count(0), f"{mean:.1f}", high, max(lost)))
    return table(head, rows)


def found(position: AbalonePosition, nodes: int) -> str:
    """The move that a search of some nodes finds."""
    return search([position], Budget(nodes)).lines[0].moves[0]


@dataclass(frozen=True, slots=True)
class Judge:
    """A search of some nodes that judges moves."""

    nodes: int

    def __call__(self, asked: tuple[AbalonePosition, Sequence[str]]) -> list[int]:
        """What each move loses beside the best of them and of its own, in hundredths of a marble.

        Positions after different moves are searched with all nodes.
        """
        position, moves = asked
        different = {*moves, found(position, self.nodes)}
        if len(different) == 1:
            return [0] * len(moves)
        values = {move: self._value(position, move) for move in different}
        return [max(values.values()) - values[move] for move in moves]

    def _value(self, position: AbalonePosition, move: str) -> int:
        assert position.turn
        played = after(position, position.parse(move, position.turn))
        if played.turn is None:
            return evaluate(played)[position.turn - 1]
        value = search([played], Budget(self.nodes)).lines[0].score
        return value if played.turn == position.turn else -value


def positions(seed: int, count: int) -> Iterator[AbalonePosition]:
    """Positions from quick games between equals that are not over there."""
    dice = random.Random(f"{seed} tactics")
    while count:
        position = opening(dice.choice(FOR_TWO), dice.randrange(1 << 30))[-1]
        for _ in range(dice.choice(_PLIES)):
            if position.turn:
                line = search([position], _QUICK, seed=dice.randrange(1, 1 << 30)).lines[0]
                position = after(position, position.parse(line.moves[0], position.turn))
        if position.turn:
            count -= 1
            yield position
