"""A small alpha-beta on the positions of the rules, to hold the arena's simple players against.

It shares nothing with the engine: the score is what was pushed off, and the rings if asked for.
"""

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import CENTRE, distance, members

RINGS = (0, -20, -60, -140, -260)
WON = 10**6


def value(position: rules.AbalonePosition, depth: int, least: int, most: int, rings: bool) -> int:
    """What a position of two is worth to the seat to move in it; a thousand for a marble."""
    if position.outcome:
        return -WON  # whoever moved last has won: no position here is stuck
    if depth == 0:
        return standing(position, rings)
    for move in position.legal_moves():
        least = max(
            least, -value(position.play_legal(move).position, depth - 1, -most, -least, rings)
        )
        if least >= most:
            break
    return least


def standing(position: rules.AbalonePosition, rings: bool) -> int:
    seat = position.turn
    assert seat
    own, other = (
        1000 * position.scores[one - 1]
        + sum(RINGS[distance(c, CENTRE)] for c in members(position.marbles_of(one)) if rings)
        for one in (seat, 3 - seat)
    )
    return own - other


def best_moves(position: rules.AbalonePosition, depth: int, *, rings: bool) -> set[str]:
    """The texts of all moves that are as good as the best one."""
    values = {
        str(move): -value(position.play_legal(move).position, depth - 1, -WON, WON, rings)
        for move in position.legal_moves()
    }
    return {text for text, found in values.items() if found == max(values.values())}
