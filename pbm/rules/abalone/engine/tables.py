"""What the plain twin knows of cells and moves beforehand."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pbm.rules.abalone.board import BOARD, CELLS, CENTRE, STEPS, before, distance, shifted
from pbm.rules.abalone.movegen import CODED, KINDS

CODE_BITS = 13
"""A move of the search is the number of a seat times 2 to the power of this, plus a code."""

CODE_MASK = (1 << CODE_BITS) - 1

RINGS = tuple(sum(1 << cell for cell in CELLS if distance(cell, CENTRE) == far) for far in range(5))
"""The cells by their distance from the centre."""

EDGES = tuple(BOARD & before(~BOARD, step) for step in STEPS)
"""By direction, the cells from which a step leads off the board."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a code stands for.

    `line` are the cells of the marbles and `flip` those that change where nothing is pushed;
    `ahead` is the cell where a pushed marble would stand, 0 where none can.
    """

    line: int
    flip: int
    step: int
    ahead: int


def _shapes() -> Iterator[tuple[int, Shape]]:
    for code, (line, step) in CODED.items():
        kind_step, axis, size = KINDS[code >> 7]
        rear = (code & 127) - 1
        pushes = axis == kind_step and size > 1
        yield (
            code,
            Shape(line, line ^ shifted(line, step), step, rear + size * step if pushes else 0),
        )


SHAPES = dict(_shapes())
"""The shape of every code."""

_SEED = 0x9E3779B97F4A7C15
_ALL = (1 << 64) - 1


def mixed(number: int) -> int:
    """A number of 64 bits that looks drawn at random; each number gives its own (splitmix64).

    >>> hex(mixed(0))
    '0xe220a8397b1dcdaf'
    """
    word = (number + 1) * _SEED & _ALL
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _ALL
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _ALL
    return word ^ word >> 31


CELL_KEYS = tuple(tuple(mixed(seat << 7 | cell) for cell in range(100)) for seat in range(6))
"""By seat and cell: what a marble there adds to the key of a position."""

TURN_KEYS = tuple(mixed(1024 + turn) for turn in range(8))
"""By the seat whose turn it is."""

SCORE_KEYS = tuple(
    tuple(mixed(2048 + (side << 3 | score)) for score in range(7)) for side in range(6)
)
"""By side and its score."""


@lru_cache(maxsize=6)
def flip_keys(seat: int) -> dict[int, int]:
    """For each code, what it changes in the key where a seat's own marbles move alone."""
    keys = {1 << cell: CELL_KEYS[seat][cell] for cell in CELLS}
    return {code: _changed(shape.flip & BOARD, keys) for code, shape in SHAPES.items()}


def _changed(cells: int, keys: dict[int, int]) -> int:
    key = 0
    while cells:
        lowest = cells & -cells
        key ^= keys[lowest]
        cells ^= lowest
    return key
