"""Reasons for a move and faults of it, from the board alone, without a search."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pbm.rules.abalone.board import (
    AXES,
    CENTRE,
    CODED,
    EDGE,
    RINGS,
    LineMove,
    before,
    codes,
    distance,
    format_cell,
    groups,
    members,
    moved,
    shifted,
)
from pbm.rules.abalone.notation import read_canonical
from pbm.rules.abalone.placement import Placement
from pbm.rules.abalone.position import AbalonePlayed, AbalonePosition

Reason = dict[str, Any]


def reasons(position: AbalonePosition, moves: Sequence[str]) -> Iterator[Reason]:
    """Yield the reasons for the first of these moves, the strongest first.

    The other moves are the continuation. The field `what` of a reason is one of these words:

    - `wins`: the move ends the game, and the mover's side has won;
    - `pushes-off`: the move pushes off a marble of `seat`, which stood on `from`;
    - `saves`: an opponent could push off `marbles` before the move, and none can after it;
    - `threatens`: the mover's next move could push off `marbles`, which this move could not;
    - `leads-to`: in the continuation the mover's `move` pushes a marble of `seat` off `from`;
    - `to-edge`: the move pushes marbles of `seat` to the edge cells `on`;
    - `pushes`: the move pushes `count` marbles of `seat` outwards, and none of them to the edge;
    - `splits`: the move splits the marbles of `seat` into more groups;
    - `breaks-up`: fewer marbles of `seat` stand side by side than before the move;
    - `takes-centre`: a marble of the mover's comes to the centre, where its side had none;
    - `centre`: `count` of the mover's marbles come nearer to the centre, and none goes away;
    - `together`: more marbles of `seat`, the mover's, stand side by side.

    `marbles` is a list of dicts, each with a `seat` and the `cells` of its marbles. Raises
    IllegalMoveError.

    >>> from pbm.rules.abalone import start
    >>> [reason["what"] for reason in reasons(start(), ["a1-c3,b2"])]
    ['centre']
    """
    move = read_canonical(moves[0])
    played = position.play(move)
    if played.ejected:
        yield {"what": "pushes-off", **_fallen(played)}
    if played.position.outcome:
        if position.turn in played.position.outcome.winners:
            yield {"what": "wins"}
        return
    yield from _saves(position, played)
    yield from _threatens(position, played)
    yield from _leads_to(position, played, moves[1:])
    if not played.ejected:
        yield from _pushes(position, move)
    yield from _shape(position, played)


def faults(position: AbalonePosition, text: str) -> Iterator[Reason]:
    """Yield the faults of a move, the worst first. The field `what` is one of these words:

    - `exposes`: an opponent can push off `marbles` after the move, and could not before it;
    - `away`: `count` marbles of the mover's go away from the centre, and none comes nearer;
    - `divides`: the move divides the mover's marbles into more groups;
    - `apart`: fewer of the mover's marbles stand side by side than before the move.

    `marbles` has the same form as in `reasons`. Raises IllegalMoveError.

    >>> from pbm.rules.abalone import start
    >>> [fault["what"] for fault in faults(start(), "c3,d3")]
    ['divides']
    """
    played = position.play(read_canonical(text))
    if played.position.outcome:
        return
    side, move = _side(position), played.move
    in_danger = sum(threatened(position, seat) for seat in side)
    moving = in_danger & move.marbles
    in_danger = in_danger & ~moving | shifted(moving, move.step)
    new = sum(threatened(played.position, seat) for seat in side) & ~in_danger
    if marbles := _owned(played.position, new, side):
        yield {"what": "exposes", "marbles": marbles}
    nearer = _nearer(position, move)
    if max(nearer) <= 0 and any(nearer):
        yield {"what": "away", "count": sum(map(bool, nearer))}
    seat = position.turn or 0
    if _groups(played.position, seat) > _groups(position, seat):
        yield {"what": "divides", "seat": seat}
    elif _neighbours(played.position, seat) < _neighbours(position, seat):
        yield {"what": "apart", "seat": seat}


def contrast(made: AbalonePosition, better: AbalonePosition, seat: int) -> Iterator[Reason]:
    """Yield what is better for a seat in the position `better` than in `made`, the strongest first.

    The field `what` names what is counted. The fields `better` and `made` are the counts.
    """
    for what, measure, wanted in _MEASURES:
        for other in made.seats:
            own = other in made.group_of(seat)
            there, here = measure(better, other), measure(made, other)
            if (there - here) * (wanted if own else -wanted) > 0:
                yield {"what": what, "seat": other, "better": there, "made": here}


def _saves(position: AbalonePosition, played: AbalonePlayed) -> Iterator[Reason]:
    kept, move = 0, played.move
    came = shifted(move.marbles, move.step)
    for seat in _side(position):
        still = threatened(played.position, seat)  # its cells before the move:
        still = still & ~came | before(still & came, move.step)
        kept |= threatened(position, seat) & ~still
    if marbles := _owned(position, kept, _side(position)):
        yield {"what": "saves", "marbles": marbles}


def _threatens(position: AbalonePosition, played: AbalonePlayed) -> Iterator[Reason]:
    assert position.turn is not None
    new = ejectable(played.position, position.turn) & ~ejectable(position, position.turn)
    if marbles := _owned(played.position, new, position.seats):
        yield {"what": "threatens", "marbles": marbles}


def _leads_to(
    position: AbalonePosition, played: AbalonePlayed, line: Sequence[str]
) -> Iterator[Reason]:
    """Yield the reason `leads-to` if the mover makes the first ejection after the `played` move."""
    current = played.position
    for text in line:
        seat = current.turn
        found = current.play(read_canonical(text))
        if not current.out.issuperset(found.ejected):
            if seat == position.turn:
                yield {"what": "leads-to", "move": text, **_fallen(found)}
            return
        current = found.position


def _pushes(position: Placement, move: LineMove) -> Iterator[Reason]:
    pushed = moved(move.marbles, move.step, position.occupied) & ~move.marbles
    cells = [cell for cell in members(pushed) if position.seat_at(cell) not in _side(position)]
    outwards = [distance(cell + move.step, CENTRE) > distance(cell, CENTRE) for cell in cells]
    seats = {position.seat_at(cell) for cell in cells}
    if cells and all(outwards) and len(seats) == 1:
        landed = [cell + move.step for cell in cells]
        if on := [format_cell(cell) for cell in landed if RINGS[-1] >> cell & 1]:
            yield {"what": "to-edge", "seat": seats.pop(), "on": on}
        else:
            yield {"what": "pushes", "seat": seats.pop(), "count": len(cells)}


def _shape(position: AbalonePosition, played: AbalonePlayed) -> Iterator[Reason]:
    assert position.turn is not None
    side, after = _side(position), played.position
    for seat in position.seats:
        if seat in side or seat in played.ejected:
            continue
        if _groups(after, seat) > _groups(position, seat):
            yield {"what": "splits", "seat": seat}
        elif _neighbours(after, seat) < _neighbours(position, seat):
            yield {"what": "breaks-up", "seat": seat}
    centre, own = 1 << CENTRE, position.turn
    nearer = _nearer(position, played.move)
    if after.marbles_of(own) & centre and not sum(map(position.marbles_of, side)) & centre:
        yield {"what": "takes-centre"}
    elif min(nearer) >= 0 and any(nearer):
        yield {"what": "centre", "count": sum(map(bool, nearer))}
    if _neighbours(after, own) > _neighbours(position, own):
        yield {"what": "together", "seat": own}


def _nearer(position: Placement, move: LineMove) -> list[int]:
    """Return for each moved marble of the mover by how many steps it comes nearer to the centre."""
    moving = moved(move.marbles, move.step, position.occupied)
    own = moving & position.marbles_of(position.turn or 0)
    return [distance(cell, CENTRE) - distance(cell + move.step, CENTRE) for cell in members(own)]


def _side(position: Placement) -> tuple[int, ...]:
    return position.group_of(position.turn)


def _fallen(played: AbalonePlayed) -> Reason:
    return {"seat": played.effect["ejected"], "from": played.effect["from"]}


def _neighbours(position: Placement, seat: int) -> int:
    """Return how many pairs of a seat's marbles stand side by side."""
    marbles = position.marbles_of(seat)
    return sum((marbles & shifted(marbles, axis)).bit_count() for axis in AXES)


def _groups(position: Placement, seat: int) -> int:
    return sum(1 for _ in groups(position.marbles_of(seat)))


_MEASURES: tuple[tuple[str, Callable[[AbalonePosition, int], int], int], ...] = (
    ("left", lambda position, seat: position.count(seat), 1),
    ("danger", lambda position, seat: threatened(position, seat).bit_count(), -1),
    ("edge", lambda position, seat: (position.marbles_of(seat) & RINGS[-1]).bit_count(), -1),
    ("groups", _groups, -1),
    ("middle", lambda position, seat: (position.marbles_of(seat) & sum(RINGS[:3])).bit_count(), 1),
)
"""What `contrast` counts: word, function, and 1 if more is better for the seat, else -1."""


def _owned(position: Placement, cells: int, seats: Iterable[int]) -> list[dict[str, Any]]:
    """Return the marbles of `seats` on `cells`, by seat. Seats that have left are omitted."""
    return [
        {"seat": seat, "cells": [format_cell(cell) for cell in members(found)]}
        for seat in seats
        if seat not in position.out and (found := position.marbles_of(seat) & cells)
    ]


def threatened(position: Placement, seat: int) -> int:
    """Return the set of a seat's marbles that an opponent could eject if it were their turn."""
    if position.outcome:
        return 0
    own, found = position.marbles_of(seat), 0
    for side in position.groups:
        for enemy in side if seat not in side else ():
            if position.is_played(enemy):
                found |= own & ejectable(position, enemy)
    return found


def ejectable(position: Placement, seat: int) -> int:
    """Return the set of marbles that a seat could eject if it were its turn."""
    found, occupied = 0, position.occupied
    for code in codes(*position.seen_by(seat)):
        marbles, step = CODED[code]
        found |= moved(marbles, step, occupied) & EDGE[step]
    return found
