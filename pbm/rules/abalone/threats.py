"""What can be pushed off at once."""

from pbm.rules.abalone.position import Position
from pbm.rules.abalone.search import CODED, codes, moved
from pbm.rules.abalone.turns import falling


def threatened(position: Position, seat: int) -> int:
    """The set of a seat's marbles that some opponent could eject with one move, at its turn.

    There are none any more once the game is over.
    """
    if position.outcome:
        return 0
    own, found = position.marbles_of(seat), 0
    for side in position.sides:
        for enemy in side if seat not in side else ():
            if position.is_played(enemy):
                found |= own & _ejectable(position, enemy)
    return found


def _ejectable(position: Position, seat: int) -> int:
    """The marbles that a seat could eject."""
    found, occupied = 0, position.occupied
    for code in codes(*position.seen_by(seat)):
        marbles, step = CODED[code]
        found |= falling(moved(marbles, step, occupied), step)
    return found
