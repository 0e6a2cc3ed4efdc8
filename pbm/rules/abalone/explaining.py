"""Why a move is good, and what it threatens, as far as the board shows it.

Templates make a sentence of each reason; seats are numbers, cells have their names.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pbm.rules.abalone.board import (
    AXES,
    CENTRE,
    EDGE,
    before,
    distance,
    format_cell,
    members,
    shifted,
)
from pbm.rules.abalone.moves import CODED, LineMove, codes, moved
from pbm.rules.abalone.notation import read_canonical
from pbm.rules.abalone.placement import Placement
from pbm.rules.abalone.position import AbalonePlayed, AbalonePosition

Reason = dict[str, Any]


def reasons(position: AbalonePosition, moves: Sequence[str]) -> Iterator[Reason]:
    """The reasons for the first of these moves, the strongest first.

    The others are the continuation. `what` is one of these:

    - `wins`: it ends the game, and the mover's side has won;
    - `pushes-off`: a marble of `seat` that stood on `from`;
    - `saves`: no opponent's next move can push off the `marbles` that one could have;
    - `threatens`: the mover's next move could push off `marbles`, and could not before;
    - `leads-to`: in the continuation the mover's `move` pushes a marble of `seat` off `from`;
    - `pushes`: `count` marbles of `seat`, each of them farther from the centre;
    - `breaks-up`: fewer marbles of `seat` stand side by side;
    - `centre`: `count` marbles of the mover's come nearer to it, and none goes away from it;
    - `together`: more marbles of `seat`, the mover's, stand side by side.

    `marbles` are the `cells` of each `seat`; those of `saves` before the move, those of `threatens`
    after it. Raises IllegalMoveError.

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


def _saves(position: AbalonePosition, played: AbalonePlayed) -> Iterator[Reason]:
    kept, move = 0, played.move
    came = shifted(move.marbles, move.step)
    for seat in _side(position):
        still = threatened(played.position, seat)  # its cells before the move:
        still = still & ~came | before(still & came, move.step)
        kept |= threatened(position, seat) & ~still
    marbles = _owned(position, kept, _side(position))
    if marbles:
        yield {"what": "saves", "marbles": marbles}


def _threatens(position: AbalonePosition, played: AbalonePlayed) -> Iterator[Reason]:
    assert position.turn is not None
    new = ejectable(played.position, position.turn) & ~ejectable(position, position.turn)
    marbles = _owned(played.position, new, position.seats)
    if marbles:
        yield {"what": "threatens", "marbles": marbles}


def _leads_to(
    position: AbalonePosition, played: AbalonePlayed, line: Sequence[str]
) -> Iterator[Reason]:
    """The next marble that is pushed off, if the mover does it."""
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
        yield {"what": "pushes", "seat": seats.pop(), "count": len(cells)}


def _shape(position: AbalonePosition, played: AbalonePlayed) -> Iterator[Reason]:
    """Changes of the formation of marbles."""
    assert position.turn is not None
    others = (seat for seat in position.seats if seat not in (*_side(position), *played.ejected))
    for seat in others:
        if _neighbours(played.position, seat) < _neighbours(position, seat):
            yield {"what": "breaks-up", "seat": seat}
    own = position.marbles_of(position.turn)
    step, moving = played.move.step, moved(played.move.marbles, played.move.step, position.occupied)
    nearer = [
        distance(cell, CENTRE) - distance(cell + step, CENTRE) for cell in members(moving & own)
    ]
    if min(nearer) >= 0 and any(nearer):
        yield {"what": "centre", "count": sum(map(bool, nearer))}
    if _neighbours(played.position, position.turn) > _neighbours(position, position.turn):
        yield {"what": "together", "seat": position.turn}


def _side(position: Placement) -> tuple[int, ...]:
    return position.group_of(position.turn)


def _fallen(played: AbalonePlayed) -> Reason:
    return {"seat": played.effect["ejected"], "from": played.effect["from"]}


def _neighbours(position: Placement, seat: int) -> int:
    """The number of pairs of a seat's marbles side by side."""
    marbles = position.marbles_of(seat)
    return sum((marbles & shifted(marbles, axis)).bit_count() for axis in AXES)


def _owned(position: Placement, cells: int, seats: Iterable[int]) -> list[dict[str, Any]]:
    """Marbles of some seats by owner, without the seats that have left."""
    return [
        {"seat": seat, "cells": [format_cell(cell) for cell in members(found)]}
        for seat in seats
        if seat not in position.out and (found := position.marbles_of(seat) & cells)
    ]


def threatened(position: Placement, seat: int) -> int:
    """The set of a seat's marbles that an opponent could eject with one move, at its turn."""
    if position.outcome:
        return 0
    own, found = position.marbles_of(seat), 0
    for side in position.groups:
        for enemy in side if seat not in side else ():
            if position.is_played(enemy):
                found |= own & ejectable(position, enemy)
    return found


def ejectable(position: Placement, seat: int) -> int:
    """The set of marbles that a seat could eject with one move."""
    found, occupied = 0, position.occupied
    for code in codes(*position.seen_by(seat)):
        marbles, step = CODED[code]
        found |= moved(marbles, step, occupied) & EDGE[step]
    return found
