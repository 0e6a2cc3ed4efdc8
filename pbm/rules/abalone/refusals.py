"""Why a move is illegal, and which legal move may be meant instead (rules, section 3).

`why_not` looks at one move, marble by marble, and shares no code with move generation; tests
compare the two.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from pbm.rules.abalone.board import (
    CENTRE,
    distance,
    format_cell,
    is_on_board,
    line_between,
    members,
    set_of,
)
from pbm.rules.abalone.movegen import CODED, codes
from pbm.rules.abalone.moves import LineMove, move_coded
from pbm.rules.abalone.placement import Placement, symbol
from pbm.rules.contract import IllegalMoveError

_NEAR = 2

Marbles = dict[str, Any]
"""Some marbles: `whose` they are, or the `sign` of their seat, and their `cells`."""


def why_not(position: Placement, move: LineMove) -> IllegalMoveError | None:
    """The error of a move in this position, None if it is legal."""
    if position.turn is None:
        return game_over()
    blocked = _blocked_in_line if move.in_line else _blocked_sideways
    return _not_own(position, move, position.turn) or blocked(position, move, position.turn)


def game_over() -> IllegalMoveError:
    """The error of any step in a finished game."""
    return IllegalMoveError("game-over")


def _not_own(position: Placement, move: LineMove, mover: int) -> IllegalMoveError | None:
    """A cell of the line without a marble that the mover may move."""
    partner, instead = position.partner(mover), _instead(position, move)
    owners = {cell: position.seat_at(cell) for cell in move.cells}
    missing = [cell for cell, owner in owners.items() if owner is None]
    foreign = [cell for cell, owner in owners.items() if owner not in (None, mover, partner)]
    if foreign:
        return IllegalMoveError(
            "not-yours",
            marbles=_marbles_on(position, foreign),
            you=symbol(position, mover),
            **instead(),
        )
    if position.fixed & move.marbles:
        return IllegalMoveError("fixed-marble", place=format_cell(CENTRE), **instead())
    if missing and missing == list(move.cells[1:-1]):
        ends = [format_cell(move.rear), format_cell(move.front)]
        return IllegalMoveError("gap", ends=ends, cells=_names(missing))
    if missing:
        return IllegalMoveError("empty-cell", cells=_names(missing), **instead())
    return _only_the_partners(position, move, mover)


def _only_the_partners(position: Placement, move: LineMove, mover: int) -> IllegalMoveError | None:
    """A line without a marble of the mover, or without one at its rear where it must be."""
    you, instead = symbol(position, mover), _instead(position, move)
    if not position.marbles_of(mover) & move.marbles:
        marbles = _marbles_on(position, move.cells)
        return IllegalMoveError("no-own-marble", marbles=marbles, you=you, **instead())
    if move.in_line and position.seat_at(move.rear) != mover:
        marbles = _marbles_on(position, [move.rear])
        return IllegalMoveError("partner-at-rear", marbles=marbles, you=you, **instead())
    return None


def _blocked_in_line(position: Placement, move: LineMove, mover: int) -> IllegalMoveError | None:
    ahead, instead = move.front + move.step, _instead(position, move)
    if not is_on_board(ahead):
        own = position.seat_at(move.front) == mover
        return IllegalMoveError(
            "own-off-board" if own else "partner-off-board",
            yours=_yours(position, [move.front], mover),
        )
    owner, yours = position.seat_at(ahead), _yours(position, [ahead], mover)
    if owner == mover:
        return IllegalMoveError("own-in-the-way", yours=yours, **instead())
    if owner is not None and owner == position.partner(mover):
        return IllegalMoveError("partner-in-the-way", yours=yours, **instead())
    if owner is not None:
        return _failed_push(position, move, mover)
    return _pillar_in_the_way(position, move, [ahead])


def _pillar_in_the_way(
    position: Placement, move: LineMove, targets: list[int]
) -> IllegalMoveError | None:
    if not position.fixed & set_of(tuple(targets)):
        return None
    place = format_cell(CENTRE)
    return IllegalMoveError("pillar-in-the-way", place=place, **_instead(position, move)())


def _failed_push(position: Placement, move: LineMove, mover: int) -> IllegalMoveError | None:
    ahead, instead = [], _instead(position, move)
    cell = move.front + move.step
    while position.seat_at(cell) not in (None, mover, position.partner(mover)):
        ahead.append(cell)
        cell += move.step
    size = len(move.cells)
    if size == 1:
        first = _marbles_on(position, ahead[:1])
        return IllegalMoveError("one-cannot-push", marbles=first, **instead())
    pushed = _marbles_on(position, ahead)
    if len(ahead) >= size:
        return IllegalMoveError("outnumbered", size=size, marbles=pushed, **instead())
    return _blocked_behind(position, pushed, cell, mover)


def _blocked_behind(
    position: Placement, pushed: list[Marbles], cell: int, mover: int
) -> IllegalMoveError | None:
    """An obstacle on the target of the last pushed marble."""
    owner = position.seat_at(cell)
    if position.fixed >> cell & 1:
        place = format_cell(cell)
        return IllegalMoveError("push-against-pillar", marbles=pushed, place=place)
    if owner is None:
        return None
    return IllegalMoveError(
        "push-blocked" if owner == mover else "push-against-partner",
        marbles=pushed,
        yours=_yours(position, [cell], mover),
    )


def _blocked_sideways(position: Placement, move: LineMove, mover: int) -> IllegalMoveError | None:
    instead = _instead(position, move)
    fallen = [cell for cell in move.cells if not is_on_board(cell + move.step)]
    if fallen:
        yours = _yours(position, fallen, mover)
        return IllegalMoveError("sideways-off-board", yours=yours, **instead())
    targets = [cell + move.step for cell in move.cells]
    side = (mover, position.partner(mover))
    own = [cell for cell in targets if position.seat_at(cell) in side and position.seat_at(cell)]
    foreign = [cell for cell in targets if position.seat_at(cell) not in (None, *side)]
    if foreign:
        marbles = _marbles_on(position, foreign)
        return IllegalMoveError("sideways-push", marbles=marbles, **instead())
    if own:
        yours = _yours(position, own, mover)
        return IllegalMoveError("sideways-blocked", yours=yours, **instead())
    return _pillar_in_the_way(position, move, targets)


def _instead(position: Placement, move: LineMove) -> Callable[[], dict[str, str]]:
    """A search for the move that may be meant, run only if needed."""
    return lambda: perhaps(nearby_line(position, move.marbles, move.step))


def _names(cells: Iterable[int]) -> list[str]:
    return [format_cell(cell) for cell in cells]


def _yours(position: Placement, cells: Sequence[int], mover: int) -> list[Marbles]:
    """The marbles on some cells, first the mover's, then the partner's."""
    own = [cell for cell in cells if position.seat_at(cell) == mover]
    partners = [cell for cell in cells if cell not in own]
    groups = (("own", own), ("partner", partners))
    return [{"whose": whose, "cells": _names(some)} for whose, some in groups if some]


def _marbles_on(position: Placement, cells: Iterable[int]) -> list[Marbles]:
    """The marbles on some cells by owner, each with the sign of its seat."""
    owned = groupby(cells, key=lambda cell: position.seat_at(cell) or 0)
    return [{"sign": symbol(position, seat), "cells": _names(group)} for seat, group in owned]


def example_move(position: Placement) -> LineMove | None:
    """A sensible legal move to show to a newcomer, None if there is none.

    The longest line that moves in line nearer to the centre, the first in the order of
    `legal_moves`.

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
    """The rank of every move by its code, higher for a better example."""

    def appeal(code: int) -> tuple[bool, bool, int, int]:
        move = move_coded(code)
        nearer = sum(distance(c, CENTRE) - distance(c + move.step, CENTRE) for c in move.cells)
        return nearer > 0, move.in_line, len(move.cells), nearer

    appeals = {code: appeal(code) for code in CODED}
    ranks = {value: rank for rank, value in enumerate(sorted(set(appeals.values())))}
    return {code: ranks[value] for code, value in appeals.items()}


def nearby_line(position: Placement, marbles: int, step: int) -> LineMove | None:
    """The legal move by `step` of the line most like the one named, None if none is near.

    A near line lies along the one named, shares a marble with it and differs by at most two cells.
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
    """The parameters of an error for a move that may be meant."""
    return {"meant": str(move)} if move else {}


def _reach(move: LineMove, target: int) -> int:
    return min(distance(end + move.step, target) for end in (move.rear, move.front))


def _lie_along(marbles: int) -> bool:
    """Whether the cells of a set form one straight line without a gap."""
    cells = tuple(members(marbles))
    line = line_between(cells[0], cells[-1])
    return line is not None and set_of(line) == marbles
