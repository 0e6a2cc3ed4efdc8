"""Forced ejections, proven by looking at everything: written apart from the engine.

A position counts if the other cannot eject a marble in return at once, so that the ejection is
worth having: in random play marbles stand to be taken everywhere, and often something is better.
It uses the rules' own search for legal moves and plays them on sets of cells. Two players only.
"""

from collections.abc import Iterator

from pbm.rules.abalone.board import BOARD, STEPS, shifted
from pbm.rules.abalone.moves import CODED, codes, moved
from pbm.rules.abalone.position import AbalonePosition

_EDGE = {step: BOARD & ~shifted(BOARD, -step) for step in STEPS}
"""The cells from which a step leads off the board."""

Pair = tuple[int, int]
"""The marbles of whoever is to move, and those of the other."""


def pair_of(position: AbalonePosition) -> Pair:
    """A position of two players as the proof has it."""
    assert position.players == 2
    assert position.turn is not None
    assert not position.pillar
    return position.marbles_of(position.turn), position.marbles_of(3 - position.turn)


def forced_in(position: AbalonePosition, most: int) -> int | None:
    """The number of plies, odd and at most so many, in which the seat to move ejects a marble
    whatever the other does, who has none to eject in return; None where that cannot be forced."""
    pair = pair_of(position)
    plies = range(1, most + 1, 2)
    return next((number for number in plies if _forces(pair, number, for_nothing=True)), None)


def still_forced(position: AbalonePosition, plies: int) -> bool:
    """Whether the seat that has just moved ejects a marble in so many plies, an even number, from
    now on, whatever the seat to move does; what comes then does not matter."""
    return not _escapes(pair_of(position), plies, for_nothing=False)


def _forces(pair: Pair, plies: int, *, for_nothing: bool) -> bool:
    """Whether the one to move ejects a marble in so many plies at most."""
    if _can_eject(*pair) and (not for_nothing or any(_gains(pair, r) for r in _after(pair))):
        return True
    return plies > 2 and any(
        not _escapes(reply, plies - 1, for_nothing=for_nothing) for reply in _after(pair)
    )


def _escapes(pair: Pair, plies: int, *, for_nothing: bool) -> bool:
    """Whether the one to move has a move after which the other cannot force an ejection.

    To eject a marble first is one, too: then nothing was forced.
    """
    return _can_eject(*pair) or any(
        not _forces(reply, plies - 1, for_nothing=for_nothing) for reply in _after(pair)
    )


def _gains(before: Pair, reply: Pair) -> bool:
    """Whether a move ejected a marble, and none can be ejected in return."""
    return reply[0].bit_count() < before[1].bit_count() and not _can_eject(*reply)


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
