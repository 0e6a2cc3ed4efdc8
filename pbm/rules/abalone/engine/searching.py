"""Searching and judging positions of Abalone: what the door calls."""

from collections.abc import Callable, Iterator, Sequence
from ctypes import c_int32
from dataclasses import replace

from pbm.rules.abalone.engine import compiled, plain
from pbm.rules.abalone.engine.judging import Judge
from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES, Limits, Outlook, Twin, root_of
from pbm.rules.abalone.engine.tables import CODE_BITS, CODE_MASK
from pbm.rules.abalone.engine.taking import before_taking, can_take, taken
from pbm.rules.abalone.engine.weights import MARBLE, Ways, Weights
from pbm.rules.abalone.moves import move_coded
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import WON, Budget, Found, Line

_UNIT = MARBLE // 100
_SEEDS = 1 << 48


def search(
    positions: Sequence[AbalonePosition],
    budget: Budget,
    *,
    best: int = 1,
    seed: int = 0,
    weights: Weights | None = None,
    ways: Ways | None = None,
    stop: c_int32 | None = None,
    told: Callable[[Found], None] | None = None,
) -> Found:
    """The best moves in the last of some positions in the order of play.

    `stop` and `told` are as in `Limits`.
    """
    if positions[-1].turn is None:
        return Found((), 0, 0)
    by, twin = _twin()
    limits = Limits(
        budget.nodes,
        DEEPEST if budget.depth is None else max(1, min(budget.depth, DEEPEST)),
        budget.seconds,
        max(1, min(best, MOST_LINES)),
        seed % _SEEDS,
        stop,
        told and (lambda outlook: told(_found(positions[-1], outlook, by))),
    )
    takes = ways is None and can_take(positions[-1], limits)
    weights, ways = weights or Weights(), ways or Ways()
    outlook = twin(root_of(positions), weights, ways, before_taking(limits) if takes else limits)
    if takes and not (stop and stop.value):
        outlook = taken(positions, outlook, twin, weights, ways, limits)
    return _found(positions[-1], outlook, by)


def _found(position: AbalonePosition, outlook: Outlook, by: str) -> Found:
    lines = tuple(
        Line(tuple(_played(position, moves)), value // _UNIT) for value, moves in outlook.lines
    )
    return Found(lines, outlook.depth, outlook.nodes, by, outlook.cut)


def evaluate(position: AbalonePosition, weights: Weights | None = None) -> tuple[int, ...]:
    """How good a position is for each seat without looking ahead, a hundred to a marble.

    Who has won has `WON`; who has lost or left has as much below zero.
    """
    if position.outcome:
        winners = position.outcome.winners
        return tuple(_settled(seat in winners) if winners else 0 for seat in position.seats)
    root = root_of([position])
    return tuple(
        Judge(replace(root, turn=seat), weights or Weights()).value(root.marbles, root.scores)
        // _UNIT
        if played
        else _settled(False)
        for seat, played in enumerate(root.played)
    )


def _settled(won: bool) -> int:
    return WON if won else -WON


def _played(position: AbalonePosition, moves: Sequence[int]) -> Iterator[str]:
    """The moves of a line as far as the game can go on so: best reply lets seats be passed over."""
    for coded in moves:
        if position.turn is None or coded >> CODE_BITS != position.turn - 1:
            return
        move = move_coded(coded & CODE_MASK)
        yield str(move)
        position = position.play_legal(move).position


def _twin() -> tuple[str, Twin]:
    """The faster twin that is there, and its name."""
    return ("plain", plain.search) if compiled.why_not() else ("compiled", compiled.search)
