"""Legal moves to name in an answer: an example for everybody, or what was perhaps meant."""

from functools import cache

from pbm.rules.abalone.board import CENTRE, distance, line_between, members, set_of
from pbm.rules.abalone.movegen import CODED, codes
from pbm.rules.abalone.moves import LineMove, move_coded
from pbm.rules.abalone.placement import Placement

_NEAR = 2


def example_move(position: Placement) -> LineMove | None:
    """A sensible legal move to show to a newcomer, None if there is none.

    The longest line that comes nearer to the centre in line, the first one in the order of
    `legal_moves` if there are several.

    >>> from pbm.rules.abalone.layouts import start
    >>> str(example_move(start("standard", 2)))
    'a1-c3,b2'
    """

    if position.turn is None:
        return None
    found = codes(*position.seen_by(position.turn))
    return move_coded(max(found, key=_appeals().__getitem__)) if found else None


@cache
def _appeals() -> dict[int, int]:
    """The appeal of every move by its code, as a number that only ranks them."""

    def appeal(code: int) -> tuple[bool, bool, int, int]:
        move = move_coded(code)
        nearer = sum(distance(c, CENTRE) - distance(c + move.step, CENTRE) for c in move.cells)
        return nearer > 0, move.in_line, len(move.cells), nearer

    appeals = {code: appeal(code) for code in CODED}
    ranks = {value: rank for rank, value in enumerate(sorted(set(appeals.values())))}
    return {code: ranks[value] for code, value in appeals.items()}


def nearby_line(position: Placement, marbles: int, step: int) -> LineMove | None:
    """The legal move by `step` of the line most like the one named, None if none is near it.

    Near is a line that lies along the one named, shares a marble with it and differs by two cells
    at most.
    """

    def difference(move: LineMove) -> int:
        return (move.marbles ^ marbles).bit_count()

    near = [
        move
        for move in position.legal_moves()
        if move.step == step
        and move.marbles & marbles
        and difference(move) <= _NEAR
        and _lie_along(move.marbles | marbles)
    ]
    return min(near, key=difference, default=None)


def nearby_step(position: Placement, marbles: int, target: int) -> LineMove | None:
    """The legal move of exactly these marbles that brings them nearest to a cell, or None."""
    steps = [move for move in position.legal_moves() if move.marbles == marbles]
    return min(steps, key=lambda move: _reach(move, target), default=None)


def perhaps(move: LineMove | None) -> dict[str, str]:
    """What an error says of a move that was perhaps meant; nothing for None."""
    return {"meant": str(move)} if move else {}


def _reach(move: LineMove, target: int) -> int:
    return min(distance(end + move.step, target) for end in (move.rear, move.front))


def _lie_along(marbles: int) -> bool:
    """Whether the cells of a set form one straight line without a gap."""
    cells = tuple(members(marbles))
    line = line_between(cells[0], cells[-1])
    return line is not None and set_of(line) == marbles
