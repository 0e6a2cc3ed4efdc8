"""Aba-Pro, the notation of most records (rules, section 4).

Its row a is at the bottom. A move in line is the rear marble's cell and its target, `a1b2`; the
number of marbles follows from the position. A move sideways is both ends of the line and the target
of the first, `g7g9f7`.
"""

import re

from pbm.rules.abalone.board import (
    CELLS,
    LONGEST_LINE,
    STEPS,
    format_cell,
    is_on_board,
    line_between,
    parse_cell,
    set_of,
)
from pbm.rules.abalone.moves import LineMove
from pbm.rules.abalone.placement import Placement
from pbm.rules.abalone.refusals import why_not
from pbm.rules.contract import IllegalMoveError, NotationError

_LONGEST_TEXT = 100

_CELL = "([a-i][0-9])"
_MOVE = re.compile(f"{_CELL}{_CELL}{_CELL}?", re.ASCII | re.IGNORECASE)


def _seen_from_below(cell: int) -> int:
    """The cell that has this cell's name in the other notation; it is its own inverse."""
    row, column = divmod(cell, 10)
    return 10 * (10 - row) + column + 5 - row


_NAMES = {cell: format_cell(_seen_from_below(cell)) for cell in CELLS}


def format_abapro(move: LineMove, position: Placement) -> str:
    """The Aba-Pro text of a move; raises IllegalMoveError if it is not legal.

    The ends of a move sideways are in the order of their Aba-Pro names.

    >>> from pbm.rules.abalone import parse_move, start
    >>> position = start("standard", 2)
    >>> [format_abapro(parse_move(t, position), position) for t in ("a1-c3,b2", "c3-c5,d4")]
    ['i5h5', 'g5g7f5']
    """
    refusal = why_not(position, move)
    if refusal is not None:
        raise refusal
    if move.in_line:
        return _NAMES[move.rear] + _NAMES[move.rear + move.step]
    first, last = sorted((move.cells[0], move.cells[-1]), key=_NAMES.__getitem__)
    return _NAMES[first] + _NAMES[last] + _NAMES[first + move.step]


def parse_abapro(text: str, position: Placement) -> LineMove:
    """The legal move that an Aba-Pro text names; ignores case and blanks.

    Raises NotationError for a text that is no move in any position, else IllegalMoveError.

    >>> from pbm.rules.abalone import start
    >>> str(parse_abapro("I5H5", start("standard", 2)))
    'a1-c3,b2'
    """
    joined = "".join(text.split()) if len(text) <= _LONGEST_TEXT else ""
    match = _MOVE.fullmatch(joined) if joined.isascii() else None
    if match is None:
        raise NotationError("not-a-move", abapro=True)
    first, second, *third = (
        _seen_from_below(parse_cell(name.lower())) for name in match.groups() if name
    )
    if third:
        marbles, step = _named_line(first, second), _step(first, third[0])
    else:
        step = _step(first, second)
        marbles = _implied_line(first, step, position)
    if position.outcome is not None:
        raise IllegalMoveError("game-over")
    move = LineMove(marbles, step)
    refusal = why_not(position, move)
    if refusal is None:
        return move
    # The refusal names cells as the mailed board does, so it needs the move in the same notation,
    # which cannot express a line that would leave the board.
    if is_on_board(move.rear + move.step):
        refusal.params["abapro"] = [joined.lower(), str(move)]
    raise refusal


def _step(start: int, target: int) -> int:
    step = target - start
    if step == 0:
        raise NotationError("same-cell", place=_NAMES[start], abapro=True)
    if step not in STEPS:
        raise NotationError("not-one-step", place=_NAMES[target], ends=[_NAMES[start]])
    return step


def _named_line(first: int, last: int) -> int:
    line, ends = line_between(first, last), [_NAMES[first], _NAMES[last]]
    if line is None:
        raise NotationError("not-straight", ends=ends)
    if len(line) > LONGEST_LINE:
        raise NotationError("too-many", ends=ends, size=len(line), abapro=True)
    return set_of(line)


def _implied_line(rear: int, step: int, position: Placement) -> int:
    """The set of the rear marble, and of up to two marbles of its side right ahead of it."""
    own, partner, _, _ = position.seen_by(position.turn) if position.turn else (0, 0, 0, 0)
    line = [rear]
    while len(line) < LONGEST_LINE and (own | partner) >> (line[-1] + step) & 1:
        line.append(line[-1] + step)
    return set_of(tuple(line))
