"""The search for legal moves on plain integers, made for speed (rules, section 3).

Everything here is sets of cells as `pbm.rules.board` has them; whose they are is for the caller to
say. For each direction the search finds the rear cells of all the lines that can go that way, many
at a time: `sets >> step` is every cell from which a step leads into the set. The same formulas
stand twice, for steps to higher cells and, with the shifts turned round, for those to lower ones,
because a function call for each would take longer than the shift itself.

A move is a *code*: the number of its kind (step, axis and length) times 128, plus one more than its
rear cell. `CODED` says what a code stands for.
"""

from collections.abc import Iterator

from pbm.rules.board import AXES, BOARD, LINES, STEPS, shifted

_FORWARD, _BACKWARD = STEPS[:3], tuple(-step for step in STEPS[3:])
assert min(_FORWARD) > 0
assert min(_BACKWARD) > 0

Kind = tuple[int, int, int]
"""The step, the axis along which the line lies from its rear cell, and the number of marbles."""


def _kinds() -> Iterator[Kind]:
    for step in STEPS:
        yield from ((step, step, size) for size in (1, 2, 3))
        for axis in AXES:
            if axis != abs(step):
                yield from ((step, axis, size) for size in (2, 3))


KINDS = tuple(_kinds())
"""All kinds of moves, in the order in which the search finds them."""

_KIND_BITS = 7
_BASES = tuple(number << _KIND_BITS for number in range(len(KINDS)))


def _coded() -> Iterator[tuple[int, tuple[int, int]]]:
    for (step, axis, size), base in zip(KINDS, _BASES, strict=True):
        for marbles, line in LINES.items():
            if len(line) == size and (size == 1 or line[1] - line[0] == abs(axis)):
                rear = line[0] if axis > 0 else line[-1]
                yield base + rear + 1, (marbles, step)


CODED = dict(_coded())
"""The marbles and the step of the move that a code stands for."""

_SIDEWAYS = {step: tuple(axis for axis in AXES if axis != abs(step)) for step in STEPS}
_FORWARD_KINDS = tuple((s, *_SIDEWAYS[s]) for s in _FORWARD)
_BACKWARD_KINDS = tuple((s, *_SIDEWAYS[s]) for s in _BACKWARD)


def rears(own: int, partner: int, enemies: int, fixed: int) -> list[int]:
    """For each kind of move in turn, the set of rear cells from which it is legal.

    The mover's marbles, those of a partner (0 without teams), of all opponents, and the cells that
    never change.
    """
    side = own | partner
    room = ~(side | enemies | fixed)
    empty = BOARD & room
    found: list[int] = []
    for step, one, other in _FORWARD_KINDS:
        open_ahead = empty >> step
        pushable = enemies & (room >> step)
        clear = empty | pushable
        pairs = own & (side >> step)
        free = side & open_ahead
        found += (
            own & open_ahead,
            pairs & (clear >> 2 * step),
            pairs & (side >> 2 * step) & ((clear | enemies & (pushable >> step)) >> 3 * step),
            first := free & (free >> one),
            first & (free >> 2 * one),
            second := free & (free >> other),
            second & (free >> 2 * other),
        )
    for step, one, other in _BACKWARD_KINDS:
        open_ahead = empty << step
        pushable = enemies & (room << step)
        clear = empty | pushable
        pairs = own & (side << step)
        free = side & open_ahead
        found += (
            own & open_ahead,
            pairs & (clear << 2 * step),
            pairs & (side << 2 * step) & ((clear | enemies & (pushable << step)) << 3 * step),
            first := free & (free >> one),
            first & (free >> 2 * one),
            second := free & (free >> other),
            second & (free >> 2 * other),
        )
    if partner:
        _need_an_own_marble(found, own)
    return found


def codes(own: int, partner: int, enemies: int, fixed: int) -> list[int]:
    """The codes of all legal moves, in the order of their kinds and then of their rear cells."""
    found: list[int] = []
    append = found.append
    for base, cells in zip(_BASES, rears(own, partner, enemies, fixed), strict=True):
        while cells:
            rear = cells & -cells
            append(base + rear.bit_length())
            cells ^= rear
    return found


def count(own: int, partner: int, enemies: int, fixed: int) -> int:
    """The number of legal moves."""
    return sum(map(int.bit_count, rears(own, partner, enemies, fixed)))


def any_move(own: int, partner: int, enemies: int, fixed: int) -> bool:
    """Whether there is a legal move."""
    empty = BOARD & ~(own | partner | enemies | fixed)
    next_to_own = own << 1 | own >> 1 | own << 10 | own >> 10 | own << 11 | own >> 11
    # Nearly always a single marble can step somewhere, and there is no need to look for pushes.
    return bool(empty & next_to_own) or any(rears(own, partner, enemies, fixed))


def moved(marbles: int, step: int, occupied: int) -> int:
    """The marbles that a legal move moves: those named, and those that they push."""
    moving = marbles
    ahead = (shifted(marbles, step) & ~marbles) & occupied
    while ahead:
        moving |= ahead
        ahead = shifted(ahead, step) & occupied
    return moving


def _need_an_own_marble(found: list[int], own: int) -> None:
    """Drop the moves sideways of lines that are all the partner's; in line the rear is own."""
    for number, (step, axis, size) in enumerate(KINDS):
        if axis != step:
            found[number] &= own | own >> axis | (own >> 2 * axis if size > 2 else 0)
