"""A marble that can be had by force is taken, unless that costs more than it brings.

What a position is worth makes the search wait with an ejection that does not run away: it takes
its place first, and then the other finds a defence. So whatever was found is held against what a
second search finds that counts nothing but what is pushed off.
"""

from collections.abc import Sequence
from dataclasses import replace

from pbm.rules.abalone.engine.roots import Limits, Outlook, Twin, root_of
from pbm.rules.abalone.engine.tables import CODE_MASK
from pbm.rules.abalone.engine.weights import MARBLE, Ways, Weights
from pbm.rules.abalone.moves import move_coded
from pbm.rules.abalone.position import AbalonePosition

_PLIES = 5  # in which an ejection is forced
_SHARE = 4  # at most one node in so many goes into this, and of the seconds, too
_DEAREST = 650  # what may be given away for it, by the worth of positions
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
# The last of the plies is looked at below the last one searched, where ejections are played out.
_EVERYTHING = Ways(reductions=0, patience=0, futility=0, aspiration=0, contempt=0)

Line = tuple[int, tuple[int, ...]]


def can_take(position: AbalonePosition, limits: Limits) -> bool:
    """Whether this is looked for: between two, where one line is asked for that goes as far, with
    enough nodes for a second search."""
    is_far = limits.depth > _PLIES and limits.nodes >= _FEW
    return position.players == 2 and limits.best == 1 and is_far


def before_taking(limits: Limits) -> Limits:
    """The limits of the first search, which leaves something for the second."""
    seconds = limits.seconds and limits.seconds * (_SHARE - 1) / _SHARE
    return replace(limits, nodes=limits.nodes - limits.nodes // _SHARE, seconds=seconds)


def taken(
    positions: Sequence[AbalonePosition],
    found: Outlook,
    twin: Twin,
    weights: Weights,
    ways: Ways,
    limits: Limits,
) -> Outlook:
    """What was found in the last of two players' positions, with the line that takes a marble in
    place of one that does not. `limits` are those of both searches together."""
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
            # Both with as little: a shallow search thinks better of a move than a deep one.
            deep = _part(limits, parts, depth=max(1, found.depth - 1))
            kept, *lines = (
                _replied(positions, move, twin, weights, ways, deep)
                for move in (best[1][0], *moves)
            )
            line = max(lines, key=lambda line: line[0])
            best = line if line[0] >= kept[0] - _DEAREST else best
    return Outlook((best, *others), found.depth, nodes, cut)


def _part(limits: Limits, parts: int, depth: int, best: int = 1) -> Limits:
    seconds = limits.seconds and limits.seconds / parts
    return Limits(limits.nodes // parts, depth, seconds, best, limits.seed, limits.stop)


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
    limits: Limits,
) -> Line:
    """A move with the best reply, and what it is worth to whoever makes it."""
    last = positions[-1]
    after = last.play_legal(move_coded(move & CODE_MASK)).position
    if after.turn is None:
        return 0, (move,)
    value, line = twin(root_of((*positions, after)), weights, ways, limits).lines[0]
    return (value if after.turn == last.turn else -value), (move, *line)
