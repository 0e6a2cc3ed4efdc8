"""Why a move is not legal: for each reason a sentence that names the cells (rules, section 3).

This looks at one move, marble by marble, and shares nothing with the search of `legal_moves`; the
tests hold the two together.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from pbm.rules.abalone.board import CENTRE, format_cell, is_on_board, set_of
from pbm.rules.abalone.errors import IllegalMoveError
from pbm.rules.abalone.hints import nearby_line, perhaps
from pbm.rules.abalone.moves import Move
from pbm.rules.abalone.position import Position, symbol

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
    """A cell of the line on which the mover has no marble to move."""
    partner = position.partner(mover)
    owners = {cell: position.seat_at(cell) for cell in move.cells}
    missing = [cell for cell, owner in owners.items() if owner is None]
    foreign = [cell for cell, owner in owners.items() if owner not in (None, mover, partner)]
    if foreign:
        what, are = _marbles_on(position, foreign), _are(foreign)
        text = f"{what} {are} not yours; you are {symbol(position, mover)}."
        return IllegalMoveError("not-yours", text + _instead(position, move))
    if position.fixed & move.marbles:
        text = f"The fixed marble on {format_cell(CENTRE)} is nobody's, and never moves."
        return IllegalMoveError("fixed-marble", text + _instead(position, move))
    if missing and missing == list(move.cells[1:-1]):
        ends = f"{format_cell(move.rear)}-{format_cell(move.front)}"
        return IllegalMoveError("gap", f"The line {ends} has a gap: {_names(missing)} is empty.")
    if missing:
        marbles = "is no marble" if len(missing) == 1 else "are no marbles"
        text = f"There {marbles} on {_names(missing)}."
        return IllegalMoveError("empty-cell", text + _instead(position, move))
    return _only_the_partners(position, move, mover)


def _only_the_partners(position: Position, move: Move, mover: int) -> IllegalMoveError | None:
    """A line without a marble of the mover, or without one at its rear where it must be."""
    you = f"you are {symbol(position, mover)}"
    if not position.marbles_of(mover) & move.marbles:
        text = (
            f"{_marbles_on(position, move.cells)} {_are(move.cells)} your partner's; {you}, and a"
            " marble of your own must move along."
        )
        return IllegalMoveError("no-own-marble", text + _instead(position, move))
    if move.in_line and position.seat_at(move.rear) != mover:
        text = (
            f"{_marbles_on(position, [move.rear])} is your partner's; {you}, and the rear marble of"
            " a line that moves along itself must be your own."
        )
        return IllegalMoveError("partner-at-rear", text + _instead(position, move))
    return None


def _blocked_in_line(position: Position, move: Move, mover: int) -> IllegalMoveError | None:
    ahead = move.front + move.step
    if not is_on_board(ahead):
        text = f"{_yours(position, [move.front], mover)} would leave the board."
        own = position.seat_at(move.front) == mover
        return IllegalMoveError("own-off-board" if own else "partner-off-board", text)
    owner = position.seat_at(ahead)
    if owner == mover:
        text = f"{_yours(position, [ahead], mover)} is in the way."
        return IllegalMoveError("own-in-the-way", text + _instead(position, move))
    if owner is not None and owner == position.partner(mover):
        text = f"{_yours(position, [ahead], mover)} is in the way, and cannot be pushed."
        return IllegalMoveError("partner-in-the-way", text + _instead(position, move))
    if owner is not None:
        return _failed_push(position, move, mover)
    return _pillar_in_the_way(position, move, [ahead])


def _pillar_in_the_way(
    position: Position, move: Move, targets: list[int]
) -> IllegalMoveError | None:
    if not position.fixed & set_of(tuple(targets)):
        return None
    text = f"The fixed marble on {format_cell(CENTRE)} is in the way."
    return IllegalMoveError("pillar-in-the-way", text + _instead(position, move))


def _failed_push(position: Position, move: Move, mover: int) -> IllegalMoveError | None:
    ahead = []
    cell = move.front + move.step
    while position.seat_at(cell) not in (None, mover, position.partner(mover)):
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
    return _blocked_behind(position, pushed, cell, mover)


def _blocked_behind(
    position: Position, pushed: str, cell: int, mover: int
) -> IllegalMoveError | None:
    """What stands on the cell that the last of the pushed marbles would go to."""
    owner = position.seat_at(cell)
    if position.fixed >> cell & 1:
        text = f"{pushed} cannot be pushed: the fixed marble on {format_cell(cell)} is behind."
        return IllegalMoveError("push-against-pillar", text)
    if owner is None:
        return None
    behind = _yours(position, [cell], mover)
    text = f"{pushed} cannot be pushed: {behind[0].lower()}{behind[1:]} is behind."
    return IllegalMoveError("push-blocked" if owner == mover else "push-against-partner", text)


def _blocked_sideways(position: Position, move: Move, mover: int) -> IllegalMoveError | None:
    fallen = [cell for cell in move.cells if not is_on_board(cell + move.step)]
    if fallen:
        text = f"{_yours(position, fallen, mover)} would leave the board."
        return IllegalMoveError("sideways-off-board", text + _instead(position, move))
    targets = [cell + move.step for cell in move.cells]
    side = (mover, position.partner(mover))
    own = [cell for cell in targets if position.seat_at(cell) in side and position.seat_at(cell)]
    foreign = [cell for cell in targets if position.seat_at(cell) not in (None, *side)]
    if foreign:
        what, are = _marbles_on(position, foreign), _are(foreign)
        text = f"A line that moves sideways cannot push, and {what} {are} in the way."
        return IllegalMoveError("sideways-push", text + _instead(position, move))
    if own:
        text = f"{_yours(position, own, mover)} {_are(own)} in the way."
        return IllegalMoveError("sideways-blocked", text + _instead(position, move))
    return _pillar_in_the_way(position, move, targets)


def _instead(position: Position, move: Move) -> str:
    return perhaps(nearby_line(position, move.marbles, move.step))


def _names(cells: Iterable[int]) -> str:
    return _listed([format_cell(cell) for cell in cells])


def _are(cells: Sequence[int]) -> str:
    return "is" if len(cells) == 1 else "are"


def _yours(position: Position, cells: Sequence[int], mover: int) -> str:
    """The mover's and the partner's marbles on some cells, such as "Your own marble on c3"."""
    own = [cell for cell in cells if position.seat_at(cell) == mover]
    partners = [cell for cell in cells if cell not in own]
    words = [
        f"{whose} {'marble' if len(some) == 1 else 'marbles'} on {_names(some)}"
        for whose, some in (("your own", own), ("your partner's", partners))
        if some
    ]
    return _listed(words).replace("y", "Y", 1)


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
