"""Move generation on plain integers, made for speed (rules, section 3).

The arguments are sets of cells (`pbm.rules.abalone.board`). For each direction the generator finds
the rear cells of all lines that can go that way at once: `sets >> step` is every cell from which a
step leads into the set. The formulas stand twice, for steps to higher cells and, with the shifts
reversed, for those to lower ones: a function call for each would take longer than the shift itself.

A move is a *code*: the number of its kind (step, axis and length) times 128, plus one more than its
rear cell. `CODED` says what a code stands for.
"""

from collections.abc import Iterator

from pbm.rules.abalone.board import AXES, BOARD, LINES, STEPS, shifted

MoveShape = tuple[int, int, int]
"""The step, the axis along which the line lies from its rear cell, and the number of marbles."""


def _kinds() -> Iterator[MoveShape]:
    for step in STEPS:
        yield from ((step, step, size) for size in (1, 2, 3))
        for axis in AXES:
            if axis != abs(step):
                yield from ((step, axis, size) for size in (2, 3))


KINDS = tuple(_kinds())
"""All kinds of moves, in the order in which they are generated."""

_KIND_BITS = 7
_BASES = tuple(number << _KIND_BITS for number in range(len(KINDS)))
_BASES_REVERSED = _BASES[::-1]


def _coded() -> Iterator[tuple[int, tuple[int, int]]]:
    for (step, axis, size), base in zip(KINDS, _BASES, strict=True):
        for marbles, line in LINES.items():
            if len(line) == size and (size == 1 or line[1] - line[0] == abs(axis)):
                rear = line[0] if axis > 0 else line[-1]
                yield base + rear + 1, (marbles, step)


CODED = dict(_coded())
"""The marbles and the step of the move that a code stands for."""

_AROUND = (1 << 111) - 1
"""All cells and everything that one step can lead to."""

_BIT = tuple((1 << top) >> 1 for top in range(112))
"""By the length of a number in bits, its highest bit."""


def _shifts(step: int) -> tuple[int, ...]:
    """The shifts of one, two and three steps, and of one and two along each other axis."""
    far = abs(step)
    one, other = (axis for axis in AXES if axis != far)
    return far, 2 * far, 3 * far, one, 2 * one, other, 2 * other


_FORWARD = tuple(_shifts(step) for step in STEPS if step > 0)
_BACKWARD = tuple(_shifts(step) for step in STEPS if step < 0)


def rears(own: int, partner: int, enemies: int, fixed: int) -> list[int]:
    """For each kind of move in turn, the set of rear cells from which it is legal.

    The mover's marbles, those of a partner (0 without teams), of all opponents, and the cells that
    never change. No cell may be in two of the sets.
    """
    side = own | partner
    occupied = side | enemies | fixed
    room = _AROUND ^ occupied
    empty = BOARD ^ occupied
    found: list[int] = []
    for once, twice, thrice, one, two_ones, other, two_others in _FORWARD:
        open_ahead = empty >> once
        pushable = enemies & room >> once
        clear = empty | pushable
        pairs = own & side >> once
        free = side & open_ahead
        found += (
            own & open_ahead,
            pairs & clear >> twice,
            pairs & side >> twice & (clear | enemies & pushable >> once) >> thrice,
            beside := free & free >> one,
            beside & free >> two_ones,
            beside := free & free >> other,
            beside & free >> two_others,
        )
    for once, twice, thrice, one, two_ones, other, two_others in _BACKWARD:
        open_ahead = empty << once
        pushable = enemies & room << once
        clear = empty | pushable
        pairs = own & side << once
        free = side & open_ahead
        found += (
            own & open_ahead,
            pairs & clear << twice,
            pairs & side << twice & (clear | enemies & pushable << once) << thrice,
            beside := free & free >> one,
            beside & free >> two_ones,
            beside := free & free >> other,
            beside & free >> two_others,
        )
    if partner:
        _need_an_own_marble(found, own)
    return found


def codes(own: int, partner: int, enemies: int, fixed: int) -> list[int]:
    """The codes of all legal moves, in the order of their kinds and then of their rear cells."""
    # Backwards, since the highest bit of a number is faster to find than the lowest.
    found: list[int] = []
    append, bit = found.append, _BIT
    sets = rears(own, partner, enemies, fixed)
    sets.reverse()
    for base, cells in zip(_BASES_REVERSED, sets, strict=True):
        while cells:
            top = cells.bit_length()
            append(base + top)
            cells ^= bit[top]
    found.reverse()
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
