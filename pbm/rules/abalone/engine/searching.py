"""Search and evaluation of positions, as the game object offers them."""

from collections.abc import Callable, Iterator, Sequence
from ctypes import c_int32
from dataclasses import replace

from pbm.rules.abalone.board import MOVE_CODED
from pbm.rules.abalone.engine import compiled, plain
from pbm.rules.abalone.engine.boards import CODE_BITS, CODE_MASK
from pbm.rules.abalone.engine.judging import MARBLE, Judge, Ways, Weights
from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES, Outlook, SearchLimits, root_of
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.abalone.position import perft as plain_perft
from pbm.rules.contract import WON, Budget, Line, SearchResult

_UNIT = MARBLE // 100
_SEEDS = 1 << 48


def search(
    positions: Sequence[AbalonePosition],
    budget: Budget,
    *,
    best: int = 1,  # the number of moves wanted
    seed: int = 0,
    weights: Weights | None = None,
    ways: Ways | None = None,
    stop: c_int32 | None = None,  # see `SearchLimits`
    told: Callable[[SearchResult], None] | None = None,
) -> SearchResult:
    """Return the best moves in the last of a game's positions."""
    if positions[-1].turn is None:
        return SearchResult((), 0, 0)
    by = "plain" if compiled.why_not() else "compiled"
    limits = SearchLimits(
        budget.nodes,
        DEEPEST if budget.depth is None else max(1, min(budget.depth, DEEPEST)),
        budget.seconds,
        max(1, min(best, MOST_LINES)),
        seed % _SEEDS,
        stop,
        told and (lambda outlook: told(_found(positions[-1], outlook, by))),
    )
    twin = compiled.search if by == "compiled" else plain.search
    ways = ways or Ways(quiescence=budget.depth != 0)
    outlook = twin(root_of(positions), weights or Weights(), ways, limits)
    return _found(positions[-1], outlook, by)


def perft(position: AbalonePosition, depth: int) -> int:
    """Count the sequences of `depth` legal moves. The compiled core counts if it can be used."""
    if position.turn is None or compiled.why_not():
        return plain_perft(position, depth)
    return compiled.perft(root_of([position]), depth)


def _found(position: AbalonePosition, outlook: Outlook, by: str) -> SearchResult:
    lines = tuple(
        Line(tuple(_played(position, moves)), value // _UNIT) for value, moves in outlook.lines
    )
    return SearchResult(lines, outlook.depth, outlook.nodes, by, outlook.cut)


def evaluate(position: AbalonePosition) -> tuple[int, ...]:
    """Return the static value of a position for each seat, in hundredths of a marble.

    It is `WON` if the seat has won, and `-WON` if it has lost or has no player any more.
    """
    if position.outcome:
        winners = position.outcome.winners
        return tuple((WON if seat in winners else -WON) * bool(winners) for seat in position.seats)
    root = root_of([position])
    return tuple(
        Judge(replace(root, turn=seat), Weights()).value(root.marbles, root.scores) // _UNIT
        if played
        else -WON
        for seat, played in enumerate(root.played)
    )


def _played(position: AbalonePosition, moves: Sequence[int]) -> Iterator[str]:
    """Yield the texts of coded moves, up to the first move that is out of turn."""
    for coded in moves:
        if position.turn is None or coded >> CODE_BITS != position.turn - 1:
            return
        move = MOVE_CODED[coded & CODE_MASK]
        yield str(move)
        position = position.play_legal(move).position
