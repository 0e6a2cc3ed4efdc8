"""The reasons why moves are illegal, and legal moves that the player may mean.

`why_not` shares no code with the generation of moves, so tests can compare the two.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from heapq import nlargest
from itertools import groupby
from typing import Any

from pbm.rules.abalone.board import (
    CENTRE,
    CODED,
    EDGE,
    MOVE_CODED,
    LineMove,
    codes,
    distance,
    format_cell,
    is_on_board,
    line_between,
    members,
    set_of,
    shifted,
)
from pbm.rules.abalone.placement import Placement, symbol
from pbm.rules.contract import IllegalMoveError

_NEAR = 2
_MOST_KEPT = 1024  # positions in a cache
_EXAMPLES = 3

Marbles = dict[str, Any]  # `whose` they are, or the `sign` of their seat, and their `cells`


def why_not(position: Placement, move: LineMove) -> IllegalMoveError | None:
    """Return the error that says why a move is illegal in a position; None if it is legal."""
    if position.turn is None:
        return IllegalMoveError("game-over")
    return _Check(position, move, position.turn).error()


class _Check:
    def __init__(self, position: Placement, move: LineMove, mover: int) -> None:
        self._position, self._move, self._mover = position, move, mover
        self._own, self._partner, self._enemies, self._fixed = position.seen_by(mover)

    def error(self) -> IllegalMoveError | None:
        blocked = self._blocked_in_line if self._move.in_line else self._blocked_sideways
        return self._not_own() or blocked()

    def _not_own(self) -> IllegalMoveError | None:
        move, you = self._move, symbol(self._position, self._mover)
        if foreign := move.marbles & self._enemies:
            return self._refused("not-yours", marbles=self._owned(members(foreign)), you=you)
        if self._fixed & move.marbles:
            return self._refused("fixed-marble", place=format_cell(CENTRE))
        missing = [*members(move.marbles & ~(self._own | self._partner))]
        if missing and missing == [*move.cells[1:-1]]:
            ends = _names([move.rear, move.front])
            return IllegalMoveError("gap", ends=ends, cells=_names(missing))
        if missing:
            return self._refused("empty-cell", cells=_names(missing))
        if not self._own & move.marbles:
            return self._refused("no-own-marble", marbles=self._owned(move.cells), you=you)
        if move.in_line and not self._own >> move.rear & 1:
            return self._refused("partner-at-rear", marbles=self._owned([move.rear]), you=you)
        return None

    def _blocked_in_line(self) -> IllegalMoveError | None:
        front, ahead = self._move.front, self._move.front + self._move.step
        if not is_on_board(ahead):
            return IllegalMoveError(
                "own-off-board" if self._own >> front & 1 else "partner-off-board",
                yours=self._yours(1 << front),
            )
        if self._enemies >> ahead & 1:
            return self._failed_push(ahead)
        if (self._own | self._partner) >> ahead & 1:
            return self._refused(
                "own-in-the-way" if self._own >> ahead & 1 else "partner-in-the-way",
                yours=self._yours(1 << ahead),
            )
        return self._pillar_on(1 << ahead)

    def _failed_push(self, cell: int) -> IllegalMoveError | None:
        size, ahead = len(self._move.cells), list[int]()
        while self._enemies >> cell & 1:
            ahead.append(cell)
            cell += self._move.step
        if size == 1:
            return self._refused("one-cannot-push", marbles=self._owned(ahead[:1]))
        if len(ahead) >= size:
            return self._refused("outnumbered", size=size, marbles=self._owned(ahead))
        if self._fixed >> cell & 1:
            pushed, place = self._owned(ahead), format_cell(cell)
            return IllegalMoveError("push-against-pillar", marbles=pushed, place=place)
        if (self._own | self._partner) >> cell & 1:
            return IllegalMoveError(
                "push-blocked" if self._own >> cell & 1 else "push-against-partner",
                marbles=self._owned(ahead),
                yours=self._yours(1 << cell),
            )
        return None

    def _blocked_sideways(self) -> IllegalMoveError | None:
        marbles, step = self._move.marbles, self._move.step
        if fallen := marbles & EDGE[step]:
            return self._refused("sideways-off-board", yours=self._yours(fallen))
        targets = shifted(marbles, step)
        if foreign := targets & self._enemies:
            return self._refused("sideways-push", marbles=self._owned(members(foreign)))
        if own := targets & (self._own | self._partner):
            return self._refused("sideways-blocked", yours=self._yours(own))
        return self._pillar_on(targets)

    def _pillar_on(self, targets: int) -> IllegalMoveError | None:
        if not self._fixed & targets:
            return None
        return self._refused("pillar-in-the-way", place=format_cell(CENTRE))

    def _refused(self, reason: str, **params: Any) -> IllegalMoveError:
        """Return an error with this reason. It may propose a legal move like the refused one."""
        near = nearby_line(self._position, self._move.marbles, self._move.step)
        return IllegalMoveError(reason, **params, **perhaps(near))

    def _yours(self, cells: int) -> list[Marbles]:
        """Return the marbles on `cells` that are the mover's, and those that are the partner's."""
        groups = (("own", cells & self._own), ("partner", cells & self._partner))
        return [{"whose": whose, "cells": _names(members(some))} for whose, some in groups if some]

    def _owned(self, cells: Iterable[int]) -> list[Marbles]:
        """Return the marbles on `cells`, with the signs of their seats."""
        owned = groupby(cells, key=lambda cell: self._position.seat_at(cell) or 0)
        return [
            {"sign": symbol(self._position, seat), "cells": _names(group)} for seat, group in owned
        ]


def _names(cells: Iterable[int]) -> list[str]:
    return [format_cell(cell) for cell in cells]


@lru_cache(maxsize=_MOST_KEPT)
def example_moves(position: Placement) -> tuple[str, ...]:
    """Return at most three legal moves to show as examples, the best example first."""
    if position.turn is None:
        return ()
    found = codes(*position.seen_by(position.turn))
    best = nlargest(_EXAMPLES, found, _appeals().__getitem__)
    return tuple(str(MOVE_CODED[code]) for code in best)


@cache
def _appeals() -> dict[int, tuple[bool, bool, int, int]]:
    """Return how well each move serves as an example, by the move's code. Higher is better."""
    return {code: appeal(MOVE_CODED[code]) for code in CODED}


def appeal(move: LineMove) -> tuple[bool, bool, int, int]:
    """Return how well a move serves as an example; a move towards the centre serves better."""
    nearer = sum(distance(c, CENTRE) - distance(c + move.step, CENTRE) for c in move.cells)
    return nearer > 0, move.in_line, len(move.cells), nearer


def nearby_line(position: Placement, marbles: int, step: int) -> LineMove | None:
    """Return a legal move by `step` of a line that is nearly `marbles`; None if there is none."""

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
    """Return the line's legal move that comes nearest to cell `target`; None if there is none."""

    def reach(move: LineMove) -> int:
        return min(distance(end + move.step, target) for end in (move.rear, move.front))

    steps = [move for move in position.legal_moves() if move.marbles == marbles]
    return min(steps, key=reach, default=None)


def perhaps(move: LineMove | None) -> dict[str, str]:
    return {"meant": str(move)} if move else {}


def _lie_along(marbles: int) -> bool:
    """Return whether a set of cells is one straight line without a gap."""
    cells = tuple(members(marbles))
    line = line_between(cells[0], cells[-1])
    return line is not None and set_of(line) == marbles
