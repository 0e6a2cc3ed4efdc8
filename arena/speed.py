"""How fast the search is, and how far it comes."""

import time
from collections.abc import Callable, Sequence

from arena.games import FOR_TWO
from arena.plan import Plan, table
from bench.measure import rates_of
from pbm.rules.abalone import AbalonePosition
from pbm.rules.abalone import board as core
from pbm.rules.abalone.engine import searching
from pbm.rules.contract import Budget
from tests.rules.random_positions import two_player_positions

_ENOUGH = 10**9


def speed(plan: Plan) -> str:
    """Positions a second beside the rules' own core, and the nodes and time of each depth."""
    return f"{_rates(plan)}\n\n{_depths(plan)}"


def _rates(plan: Plan, seconds: float = 6.0, number: int = 200) -> str:
    """Positions that are looked at in midgame positions, and legal moves found in the same ones."""
    positions = list(two_player_positions(number))
    nodes = min(plan.nodes, 50_000)
    works: dict[str, Callable[[], int]] = {
        "legal moves by the integer core of the rules": lambda: _moves_found(positions),
        f"search, {nodes:,} nodes a position": _searched(positions, nodes),
    }
    rates = rates_of(works, at_least=seconds)
    first, *_ = rates.values()
    rows = [(name, f"{rate:,.0f}", f"{rate / first:.1f}") for name, rate in rates.items()]
    for row in rows:
        print(*row, flush=True)
    return table(("what", "positions a second", "ratio"), rows)


def _moves_found(positions: Sequence[AbalonePosition]) -> int:
    for position in positions:
        assert position.turn
        core.codes(*position.seen_by(position.turn))
    return len(positions)


def _searched(positions: Sequence[AbalonePosition], nodes: int) -> Callable[[], int]:
    """A work that searches the next of some positions each time; what it counts is nodes."""
    left: list[AbalonePosition] = []

    def work() -> int:
        if not left:
            left.extend(positions)
        return searching.search([left.pop()], Budget(nodes)).nodes

    return work


def _depths(plan: Plan) -> str:
    """Nodes and seconds until a depth is finished from the start, until the nodes are used up."""
    rows = []
    for setup in FOR_TWO:
        depth, nodes = 1, 0
        while nodes < 60 * plan.nodes:
            start = time.process_time()
            found = searching.search([setup.start()], Budget(_ENOUGH, depth=depth))
            spent, nodes = time.process_time() - start, found.nodes
            rows.append((setup.layout, depth, f"{nodes:,}", f"{spent:.3f}", found.by))
            print(*rows[-1], flush=True)
            depth += 1
    return table(("from the start of", "depth", "nodes", "seconds", "core"), rows)
