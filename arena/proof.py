"""Forced ejections, proven by looking at everything: written apart from the engine.

It uses the rules' own search for legal moves and plays them on sets of cells. Two players only.
"""

from collections.abc import Iterator

from pbm.rules.abalone.board import BOARD, STEPS, shifted
from pbm.rules.abalone.position import Position
from pbm.rules.abalone.search import CODED, codes, moved

_EDGE = {step: BOARD & ~shifted(BOARD, -step) for step in STEPS}
"""The cells from which a step leads off the board."""

Pair = tuple[int, int]
"""The marbles of whoever is to move, and those of the other."""


def pair_of(position: Position) -> Pair:
    """A position of two players as the proof has it."""
    assert position.players == 2
    assert position.turn is not None
    assert not position.pillar
    return position.marbles_of(position.turn), position.marbles_of(3 - position.turn)


def forced_in(position: Position, most: int) -> int | None:
    """The number of plies, odd and at most so many, in which the seat to move ejects a marble
    first, whatever the other does; None where it cannot be forced."""
    pair = pair_of(position)
    return next((plies for plies in range(1, most + 1, 2) if _forces(pair, plies)), None)


def still_forced(position: Position, plies: int) -> bool:
    """Whether the seat that has just moved ejects a marble first, in so many plies from now on, an
    even number, whatever the seat to move does."""
    return plies > 0 and not _escapes(pair_of(position), plies)


def _forces(pair: Pair, plies: int) -> bool:
    """Whether the one to move ejects a marble in so many plies at most."""
    if _can_eject(*pair):
        return True
    return plies > 2 and any(not _escapes(reply, plies - 1) for reply in _after(pair))


def _escapes(pair: Pair, plies: int) -> bool:
    """Whether the one to move has a move after which the other cannot force an ejection.

    To eject a marble first is one, too: then nothing was forced.
    """
    return _can_eject(*pair) or any(not _forces(reply, plies - 1) for reply in _after(pair))


def _can_eject(own: int, other: int) -> bool:
    """Whether there is a move that ejects a marble: two own ones push one, or three up to two."""
    for step in STEPS:
        behind = own & shifted(own, step)
        three = behind & shifted(own, 2 * step)
        last = other & _EDGE[step]
        if last & (shifted(behind, step) | shifted(other & shifted(three, step), step)):
            return True
    return False


def _after(pair: Pair) -> Iterator[Pair]:
    """The marbles after every move, seen by the other."""
    own, other = pair
    for code in codes(own, 0, other, 0):
        marbles, step = CODED[code]
        moving = moved(marbles, step, own | other)
        stays = own & ~moving | shifted(own & moving, step)
        yield other & ~moving | shifted(other & moving, step) & BOARD, stays
