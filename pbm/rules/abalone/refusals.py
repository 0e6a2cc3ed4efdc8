"""Why a move is illegal, and which legal move may be meant instead (rules, section 3).

`why_not` looks at one move, marble by marble, and shares no code with move generation; tests
compare the two.
"""

from collections.abc import Iterable, Sequence
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
    return game_over() if position.turn is None else _Check(position, move, position.turn).error()


def game_over() -> IllegalMoveError:
    """The error of any step in a finished game."""
    return IllegalMoveError("game-over")


class _Check:
    """One move of a seat in a position, cell by cell."""

    def __init__(self, position: Placement, move: LineMove, mover: int) -> None:
        self._position = position
        self._move = move
        self._mover = mover
        self._partner = position.partner(mover)

    def error(self) -> IllegalMoveError | None:
        blocked = self._blocked_in_line if self._move.in_line else self._blocked_sideways
        return self._not_own() or self._no_own() or blocked()

    def _owner(self, cell: int) -> int | None:
        return self._position.seat_at(cell)

    def _is_enemy(self, cell: int) -> bool:
        return self._owner(cell) not in (None, self._mover, self._partner)

    def _not_own(self) -> IllegalMoveError | None:
        """A cell of the line without a marble of the mover's side."""
        cells = self._move.cells
        foreign = [cell for cell in cells if self._is_enemy(cell)]
        missing = [cell for cell in cells if self._owner(cell) is None]
        if foreign:
            marbles, you = self._marbles_on(foreign), symbol(self._position, self._mover)
            return IllegalMoveError("not-yours", marbles=marbles, you=you, **self._instead())
        if self._position.fixed & self._move.marbles:
            return IllegalMoveError("fixed-marble", place=format_cell(CENTRE), **self._instead())
        if missing and missing == list(cells[1:-1]):
            ends = _names([self._move.rear, self._move.front])
            return IllegalMoveError("gap", ends=ends, cells=_names(missing))
        if missing:
            return IllegalMoveError("empty-cell", cells=_names(missing), **self._instead())
        return None

    def _no_own(self) -> IllegalMoveError | None:
        """The error for a line without a marble of the mover, or with another's at the rear."""
        move, you = self._move, symbol(self._position, self._mover)
        if not self._position.marbles_of(self._mover) & move.marbles:
            marbles = self._marbles_on(move.cells)
            return IllegalMoveError("no-own-marble", marbles=marbles, you=you, **self._instead())
        if move.in_line and self._owner(move.rear) != self._mover:
            marbles = self._marbles_on([move.rear])
            return IllegalMoveError("partner-at-rear", marbles=marbles, you=you, **self._instead())
        return None

    def _blocked_in_line(self) -> IllegalMoveError | None:
        front, ahead = self._move.front, self._move.front + self._move.step
        if not is_on_board(ahead):
            own = self._owner(front) == self._mover
            return IllegalMoveError(
                "own-off-board" if own else "partner-off-board", yours=self._yours([front])
            )
        if self._is_enemy(ahead):
            return self._failed_push()
        if self._owner(ahead) is None:
            return self._pillar_on([ahead])
        return IllegalMoveError(
            "own-in-the-way" if self._owner(ahead) == self._mover else "partner-in-the-way",
            yours=self._yours([ahead]),
            **self._instead(),
        )

    def _pillar_on(self, targets: list[int]) -> IllegalMoveError | None:
        if not self._position.fixed & set_of(tuple(targets)):
            return None
        place = format_cell(CENTRE)
        return IllegalMoveError("pillar-in-the-way", place=place, **self._instead())

    def _failed_push(self) -> IllegalMoveError | None:
        size, cell, ahead = len(self._move.cells), self._move.front + self._move.step, list[int]()
        while self._is_enemy(cell):
            ahead.append(cell)
            cell += self._move.step
        if size == 1:
            first = self._marbles_on(ahead[:1])
            return IllegalMoveError("one-cannot-push", marbles=first, **self._instead())
        pushed = self._marbles_on(ahead)
        if len(ahead) >= size:
            return IllegalMoveError("outnumbered", size=size, marbles=pushed, **self._instead())
        if self._position.fixed >> cell & 1:
            place = format_cell(cell)
            return IllegalMoveError("push-against-pillar", marbles=pushed, place=place)
        if self._owner(cell) is None:
            return None
        return IllegalMoveError(
            "push-blocked" if self._owner(cell) == self._mover else "push-against-partner",
            marbles=pushed,
            yours=self._yours([cell]),
        )

    def _blocked_sideways(self) -> IllegalMoveError | None:
        cells, step = self._move.cells, self._move.step
        if fallen := [cell for cell in cells if not is_on_board(cell + step)]:
            yours = self._yours(fallen)
            return IllegalMoveError("sideways-off-board", yours=yours, **self._instead())
        targets = [cell + step for cell in cells]
        if foreign := [cell for cell in targets if self._is_enemy(cell)]:
            marbles = self._marbles_on(foreign)
            return IllegalMoveError("sideways-push", marbles=marbles, **self._instead())
        if own := [cell for cell in targets if self._owner(cell)]:
            return IllegalMoveError("sideways-blocked", yours=self._yours(own), **self._instead())
        return self._pillar_on(targets)

    def _instead(self) -> dict[str, str]:
        """The move that may be meant."""
        return perhaps(nearby_line(self._position, self._move.marbles, self._move.step))

    def _yours(self, cells: Sequence[int]) -> list[Marbles]:
        """The marbles on some cells, first the mover's, then the partner's."""
        own = [cell for cell in cells if self._owner(cell) == self._mover]
        partners = [cell for cell in cells if cell not in own]
        groups = (("own", own), ("partner", partners))
        return [{"whose": whose, "cells": _names(some)} for whose, some in groups if some]

    def _marbles_on(self, cells: Iterable[int]) -> list[Marbles]:
        """The marbles on some cells by owner, each with the sign of its seat."""
        owned = groupby(cells, key=lambda cell: self._owner(cell) or 0)
        return [
            {"sign": symbol(self._position, seat), "cells": _names(group)} for seat, group in owned
        ]


def _names(cells: Iterable[int]) -> list[str]:
    return [format_cell(cell) for cell in cells]


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
    """How well each move serves as an example: its code to a rank, higher is better."""

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
