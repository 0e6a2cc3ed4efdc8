"""Why a move is not legal: a reason, and the cells (rules, section 3).

This looks at one move, marble by marble, and shares nothing with the search of `legal_moves`; the
tests hold the two together.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from pbm.rules.abalone.board import CENTRE, format_cell, is_on_board, set_of
from pbm.rules.abalone.hints import nearby_line, perhaps
from pbm.rules.abalone.moves import LineMove
from pbm.rules.abalone.placement import Placement, symbol
from pbm.rules.contract import IllegalMoveError

Marbles = dict[str, Any]
"""Some marbles: `whose` they are, or the `sign` of their seat, and their `cells`."""


def why_not(position: Placement, move: LineMove) -> IllegalMoveError | None:
    """What speaks against a move in this position, None if it is legal."""
    if position.turn is None:
        return game_over()
    blocked = _blocked_in_line if move.in_line else _blocked_sideways
    return _not_own(position, move, position.turn) or blocked(position, move, position.turn)


def game_over() -> IllegalMoveError:
    """The refusal of whatever is tried in a finished game."""
    return IllegalMoveError("game-over")


def _not_own(position: Placement, move: LineMove, mover: int) -> IllegalMoveError | None:
    """A cell of the line on which the mover has no marble to move."""
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
    """What stands on the cell that the last of the pushed marbles would go to."""
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
    """A move that was perhaps meant, looked for where it is needed."""
    return lambda: perhaps(nearby_line(position, move.marbles, move.step))


def _names(cells: Iterable[int]) -> list[str]:
    return [format_cell(cell) for cell in cells]


def _yours(position: Placement, cells: Sequence[int], mover: int) -> list[Marbles]:
    """The mover's and the partner's marbles on some cells: the mover's first, then the others."""
    own = [cell for cell in cells if position.seat_at(cell) == mover]
    partners = [cell for cell in cells if cell not in own]
    groups = (("own", own), ("partner", partners))
    return [{"whose": whose, "cells": _names(some)} for whose, some in groups if some]


def _marbles_on(position: Placement, cells: Iterable[int]) -> list[Marbles]:
    """The marbles on some cells by owner, each with the sign of its seat."""
    owned = groupby(cells, key=lambda cell: position.seat_at(cell) or 0)
    return [{"sign": symbol(position, seat), "cells": _names(group)} for seat, group in owned]
