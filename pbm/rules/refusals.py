"""Why a move is not legal: for each reason a sentence that names the cells (rules, section 3).

This looks at one move, marble by marble, and shares nothing with the search of `legal_moves`; the
tests hold the two together.
"""

from collections.abc import Iterable
from itertools import groupby

from pbm.rules.board import format_cell, is_on_board
from pbm.rules.errors import IllegalMoveError
from pbm.rules.hints import nearby_line, perhaps
from pbm.rules.moves import Move
from pbm.rules.position import Position, symbol

_STRENGTH = {2: "Two marbles push one", 3: "Three marbles push two"}


def why_not(position: Position, move: Move) -> IllegalMoveError | None:
    """What speaks against a move in this position, None if it is legal."""
    if position.turn is None:
        return game_over()
    blocked = _blocked_in_line if move.in_line else _blocked_sideways
    return _not_own(position, move, position.turn) or blocked(position, move, position.turn)


def game_over() -> IllegalMoveError:
    """The refusal of whatever is tried in a finished game."""
    return IllegalMoveError("game-over", "This game is over.")


def _not_own(position: Position, move: Move, mover: int) -> IllegalMoveError | None:
    """A cell of the line on which the mover has no marble."""
    owners = {cell: position.seat_at(cell) for cell in move.cells}
    missing = [cell for cell, owner in owners.items() if owner is None]
    foreign = [cell for cell, owner in owners.items() if owner not in (None, mover)]
    if foreign:
        what, are = _marbles_on(position, foreign), "is" if len(foreign) == 1 else "are"
        text = f"{what} {are} not yours; you are {symbol(position, mover)}."
        return IllegalMoveError("not-yours", text + _instead(position, move))
    if missing and missing == list(move.cells[1:-1]):
        ends = f"{format_cell(move.rear)}-{format_cell(move.front)}"
        return IllegalMoveError("gap", f"The line {ends} has a gap: {_names(missing)} is empty.")
    if missing:
        marbles = "is no marble" if len(missing) == 1 else "are no marbles"
        text = f"There {marbles} on {_names(missing)}."
        return IllegalMoveError("empty-cell", text + _instead(position, move))
    return None


def _blocked_in_line(position: Position, move: Move, mover: int) -> IllegalMoveError | None:
    ahead = move.front + move.step
    if not is_on_board(ahead):
        text = f"Your own marble on {format_cell(move.front)} would leave the board."
        return IllegalMoveError("own-off-board", text)
    if position.seat_at(ahead) == mover:
        text = f"Your own marble on {format_cell(ahead)} is in the way."
        return IllegalMoveError("own-in-the-way", text + _instead(position, move))
    if position.seat_at(ahead) is not None:
        return _failed_push(position, move, mover)
    return None


def _failed_push(position: Position, move: Move, mover: int) -> IllegalMoveError | None:
    ahead = []
    cell = move.front + move.step
    while position.seat_at(cell) not in (None, mover):
        ahead.append(cell)
        cell += move.step
    size = len(move.cells)
    pushed = _marbles_on(position, ahead)
    if size == 1:
        text = f"One marble cannot push, and {_marbles_on(position, ahead[:1])} is in the way."
        return IllegalMoveError("one-cannot-push", text + _instead(position, move))
    if len(ahead) >= size:
        text = f"{_STRENGTH[size]} at most, and {pushed} are in the way."
        return IllegalMoveError("outnumbered", text + _instead(position, move))
    if position.seat_at(cell) == mover:
        text = f"{pushed} cannot be pushed: your own marble on {format_cell(cell)} is behind."
        return IllegalMoveError("push-blocked", text + _instead(position, move))
    return None


def _blocked_sideways(position: Position, move: Move, mover: int) -> IllegalMoveError | None:
    fallen = [cell for cell in move.cells if not is_on_board(cell + move.step)]
    if fallen:
        marbles = "marble" if len(fallen) == 1 else "marbles"
        text = f"Your own {marbles} on {_names(fallen)} would leave the board."
        return IllegalMoveError("sideways-off-board", text + _instead(position, move))
    targets = [cell + move.step for cell in move.cells]
    own = [cell for cell in targets if position.seat_at(cell) == mover]
    foreign = [cell for cell in targets if position.seat_at(cell) not in (None, mover)]
    if foreign:
        what, are = _marbles_on(position, foreign), "is" if len(foreign) == 1 else "are"
        text = f"A line that moves sideways cannot push, and {what} {are} in the way."
        return IllegalMoveError("sideways-push", text + _instead(position, move))
    if own:
        what, are = ("marble", "is") if len(own) == 1 else ("marbles", "are")
        text = f"Your own {what} on {_names(own)} {are} in the way."
        return IllegalMoveError("sideways-blocked", text + _instead(position, move))
    return None


def _instead(position: Position, move: Move) -> str:
    return perhaps(nearby_line(position, move.marbles, move.step))


def _names(cells: Iterable[int]) -> str:
    return _listed([format_cell(cell) for cell in cells])


def _marbles_on(position: Position, cells: Iterable[int]) -> str:
    """The marbles on some cells by owner, such as "x's marbles on e5 and f6"."""
    owned = groupby(cells, key=lambda cell: position.seat_at(cell) or 0)
    return _listed([_owners_marbles(position, seat, list(group)) for seat, group in owned])


def _owners_marbles(position: Position, seat: int, cells: list[int]) -> str:
    marbles = "marble" if len(cells) == 1 else "marbles"
    return f"{symbol(position, seat)}'s {marbles} on {_names(cells)}"


def _listed(words: list[str]) -> str:
    """Some words as a list in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
