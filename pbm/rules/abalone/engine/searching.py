"""Search and evaluation of positions for the game object.

Between two players a second search, which counts nothing but ejections, checks the result of the
first: a marble that can be had by force is taken, unless that costs more than it brings. Without it
the search delays an ejection that does not run away, and then the other finds a defence.
"""

from collections.abc import Callable, Iterator, Sequence
from ctypes import c_int32
from dataclasses import replace

from pbm.rules.abalone.engine import compiled, plain
from pbm.rules.abalone.engine.boards import CODE_BITS, CODE_MASK
from pbm.rules.abalone.engine.judging import Judge
from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES, Outlook, SearchLimits, Twin, root_of
from pbm.rules.abalone.engine.weights import MARBLE, Ways, Weights
from pbm.rules.abalone.moves import move_coded
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import WON, Budget, Line, SearchResult

_UNIT = MARBLE // 100
_SEEDS = 1 << 48
_PLIES = 5  # within which an ejection is forced
_SHARE = 4  # at most one node, or second, in so many goes into the second search
_DEAREST = 650  # the most positional value that a taken marble may cost
_CANDIDATES = 4
_FEW = 10_000
_COUNTING = Weights(
    scores=(0, 1000, 2000, 3000, 4000, 5000),
    marble=0,
    rings=(0, 0, 0, 0, 0),
    cohesion=0,
    danger=0,
    push=0,
)
# The last ply is searched by quiescence, which plays ejections out.
_EVERYTHING = Ways(reductions=0, patience=0, futility=0, aspiration=0, contempt=0)


def search(
    positions: Sequence[AbalonePosition],
    budget: Budget,
    *,
    best: int = 1,
    seed: int = 0,
    weights: Weights | None = None,
    ways: Ways | None = None,
    stop: c_int32 | None = None,
    told: Callable[[SearchResult], None] | None = None,
) -> SearchResult:
    """The best moves in the last of some positions in the order of play.

    `stop` and `told` are as in `SearchLimits`.
    """
    if positions[-1].turn is None:
        return SearchResult((), 0, 0)
    by, twin = _twin()
    limits = SearchLimits(
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


def _found(position: AbalonePosition, outlook: Outlook, by: str) -> SearchResult:
    lines = tuple(
        Line(tuple(_played(position, moves)), value // _UNIT) for value, moves in outlook.lines
    )
    return SearchResult(lines, outlook.depth, outlook.nodes, by, outlook.cut)


def evaluate(position: AbalonePosition, weights: Weights | None = None) -> tuple[int, ...]:
    """The static value of a position for each seat, a hundred to a marble.

    `WON` for a seat that has won, `-WON` for one that has lost or left.
    """
    if position.outcome:
        winners = position.outcome.winners
        return tuple((WON if seat in winners else -WON) * bool(winners) for seat in position.seats)
    root, weights = root_of([position]), weights or Weights()
    return tuple(
        Judge(replace(root, turn=seat), weights).value(root.marbles, root.scores) // _UNIT
        if played
        else -WON
        for seat, played in enumerate(root.played)
    )


def _played(position: AbalonePosition, moves: Sequence[int]) -> Iterator[str]:
    """The moves of a line that the game can go on with: best-reply search passes over seats."""
    for coded in moves:
        if position.turn is None or coded >> CODE_BITS != position.turn - 1:
            return
        move = move_coded(coded & CODE_MASK)
        yield str(move)
        position = position.play_legal(move).position


def _twin() -> tuple[str, Twin]:
    """The faster of the two searches that is available, and its name."""
    return ("plain", plain.search) if compiled.why_not() else ("compiled", compiled.search)


def can_take(position: AbalonePosition, limits: SearchLimits) -> bool:
    """Whether there is a second search: two players, one line wanted, enough depth and nodes."""
    is_far = limits.depth > _PLIES and limits.nodes >= _FEW
    return position.players == 2 and limits.best == 1 and is_far


def before_taking(limits: SearchLimits) -> SearchLimits:
    """The limits of the first search, without the share of the second."""
    seconds = limits.seconds and limits.seconds * (_SHARE - 1) / _SHARE
    return replace(limits, nodes=limits.nodes - limits.nodes // _SHARE, seconds=seconds)


def taken(
    positions: Sequence[AbalonePosition],
    found: Outlook,
    twin: Twin,
    weights: Weights,
    ways: Ways,
    limits: SearchLimits,
) -> Outlook:
    """The result of the first search, its line replaced by one that takes a marble if that pays.

    `limits` are those of both searches together.
    """
    quick = _part(limits, 2 * _SHARE, depth=_PLIES - 1, best=_CANDIDATES)
    counted = twin(root_of(positions), _COUNTING, _EVERYTHING, quick)
    nodes, cut = found.nodes + counted.nodes, found.cut or counted.cut
    wanted = _lead(positions[-1]) + MARBLE
    moves = [line[0] for value, line in counted.lines if value >= wanted]
    best, *others = found.lines
    if moves and best[1][0] not in moves:
        parts = 2 * _SHARE * (_CANDIDATES + 1)
        after = _part(limits, parts, depth=_PLIES - 2)
        value, _ = _replied(positions, best[1][0], twin, _COUNTING, _EVERYTHING, after)
        if value < wanted:
            # Both searched equally deep: a shallow search overrates a move.
            deep = _part(limits, parts, depth=max(1, found.depth - 1))
            kept, *lines = (
                _replied(positions, move, twin, weights, ways, deep)
                for move in (best[1][0], *moves)
            )
            line = max(lines, key=lambda line: line[0])
            best = line if line[0] >= kept[0] - _DEAREST else best
    return Outlook((best, *others), found.depth, nodes, cut)


def _part(limits: SearchLimits, parts: int, depth: int, best: int = 1) -> SearchLimits:
    seconds = limits.seconds and limits.seconds / parts
    return SearchLimits(limits.nodes // parts, depth, seconds, best, limits.seed, limits.stop)


def _lead(position: AbalonePosition) -> int:
    assert position.turn is not None
    own, other = position.scores[position.turn - 1], position.scores[2 - position.turn]
    return (own - other) * MARBLE


def _replied(
    positions: Sequence[AbalonePosition],
    move: int,
    twin: Twin,
    weights: Weights,
    ways: Ways,
    limits: SearchLimits,
) -> tuple[int, tuple[int, ...]]:
    """The value of a move for its mover, and the move with the best reply."""
    last = positions[-1]
    after = last.play_legal(move_coded(move & CODE_MASK)).position
    if after.turn is None:
        return 0, (move,)
    value, line = twin(root_of((*positions, after)), weights, ways, limits).lines[0]
    return (value if after.turn == last.turn else -value), (move, *line)
