"""Positions of the search in plain Python: how legal moves are found and played."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import xor
from typing import NamedTuple

from pbm.rules.abalone.board import (
    BOARD,
    CODED,
    EDGE,
    KINDS,
    RINGS,
    STEPS,
    any_move,
    before,
    members,
    rears,
    shifted,
)
from pbm.rules.abalone.engine.roots import Root
from pbm.rules.abalone.placement import EJECTIONS_TO_WIN

CODE_BITS = 13  # of a move's code (`pbm.rules.abalone.board`); the bits above have the move's seat

CODE_MASK = (1 << CODE_BITS) - 1

EDGES = tuple(EDGE.values())  # by direction, the cells from which a step leads off the board


@dataclass(frozen=True, slots=True)
class Shape:
    line: int  # on which its marbles stand
    flip: int  # which the line empties or fills
    step: int
    ahead: int  # the cell in front of the line; 0 for a move that cannot push


def _shapes() -> Iterator[tuple[int, Shape]]:
    for code, (line, step) in CODED.items():
        kind_step, axis, size = KINDS[code >> 7]
        rear = (code & 127) - 1
        pushes = axis == kind_step and size > 1
        ahead = rear + size * step if pushes else 0
        yield code, Shape(line, line ^ shifted(line, step), step, ahead)


SHAPES = dict(_shapes())  # by code

_SEED = 0x9E3779B97F4A7C15
_ALL = (1 << 64) - 1


def mixed(number: int) -> int:
    """Return a pseudo-random number of 64 bits, different for each argument (splitmix64)."""
    word = (number + 1) * _SEED & _ALL
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _ALL
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _ALL
    return word ^ word >> 31


CELL_KEYS = tuple(tuple(mixed(seat << 7 | cell) for cell in range(100)) for seat in range(6))
"""Parts of a position's hash key (Zobrist), by seat and cell."""

TURN_KEYS = tuple(mixed(1024 + turn) for turn in range(8))

SCORE_KEYS = tuple(
    tuple(mixed(2048 + (side << 3 | score)) for score in range(7)) for side in range(6)
)


@lru_cache(maxsize=6)
def flip_keys(seat: int) -> dict[int, int]:
    """Map each move's code to the change of the hash key. Pushed marbles do not count here."""
    keys = CELL_KEYS[seat]
    return {
        code: reduce(xor, (keys[cell] for cell in members(shape.flip & BOARD)), 0)
        for code, shape in SHAPES.items()
    }


OTHERS = 6  # the turn of all enemies together, in best-reply search: any one of them moves

NOBODY = 7  # the turn once the game is over

NO_SIDE = -1

_BASES = tuple((number << 7) + 1 for number in range(len(KINDS)))
_PUSHING = {7 * number + size - 1: size for number in range(len(STEPS)) for size in (2, 3)}
"""The kinds of moves that can push, and their number of marbles."""

_EDGES = tuple(zip(_BASES[1::7], STEPS, EDGES, strict=True))
"""For each direction: the code of a push by two marbles from cell 0, the step, and the edge."""


class SearchBoard(NamedTuple):
    marbles: tuple[int, ...]  # by seat
    scores: tuple[int, ...]  # by side
    turn: int
    key: int  # a hash of the position
    won: int = NO_SIDE  # the side that has won


class Table:
    """The seats and sides of a search. They never change. The methods find and play moves."""

    def __init__(self, root: Root, *, best_reply: bool) -> None:
        seats = range(len(root.marbles))
        self.sides = root.sides
        self.own = root.sides[root.turn]
        self._root = root
        self._best_reply = best_reply and sum(root.alive) > 2
        self._members = tuple(
            tuple(seat for seat in seats if root.sides[seat] == side)
            for side in range(len(root.alive))
        )
        self._partners = tuple(
            next((s for s in self._members[root.sides[seat]] if s != seat), None) for seat in seats
        )
        self._enemies = tuple(s for s in seats if root.played[s] and root.sides[s] != self.own)
        self._counted = tuple(seat for seat in seats if not root.out[seat])
        self._alive = tuple(seat for seat in seats if root.alive[root.sides[seat]])
        self._after = tuple(
            tuple(s for s in (*seats[seat + 1 :], *seats[: seat + 1]) if root.played[s])
            for seat in seats
        )
        self._flip_keys = tuple(map(flip_keys, seats))

    def board(self, marbles: tuple[int, ...], turn: int) -> SearchBoard:
        """Return an unfinished position with these marbles and the scores of the root."""
        key = TURN_KEYS[turn]
        for side, score in enumerate(self._root.scores):
            key ^= SCORE_KEYS[side][score]
        for seat, cells in enumerate(marbles):
            for cell in members(cells):
                key ^= CELL_KEYS[seat][cell]
        return SearchBoard(marbles, self._root.scores, turn, key)

    def ejections(self, board: SearchBoard) -> list[int]:
        """Return the moves that push off a marble and score by it."""
        found: list[int] = []
        marbles = board.marbles
        for seat in self.movers(board):
            own, partner, others, _ = self._seen_by(marbles, seat)
            counted = sum(marbles[counted] for counted in self._counted) & others
            side = own | partner
            for base, step, edge in _EDGES if counted & RINGS[-1] else ():
                if falling := counted & edge:
                    base += seat << CODE_BITS
                    pairs = own & before(side, step)
                    if twos := pairs & before(falling, 2 * step):
                        found += [base + cell for cell in members(twos)]
                    falling |= others & before(falling, step)
                    if threes := pairs & before(side, 2 * step) & before(falling, 3 * step):
                        found += [base + 128 + cell for cell in members(threes)]
        return found

    def other_moves(self, board: SearchBoard) -> tuple[list[int], list[int]]:
        """Return all moves that are not in `ejections`: those that push, then those that do not."""
        pushing: list[int] = []
        quiet: list[int] = []
        marbles = board.marbles
        for seat in self.movers(board):
            own, partner, others, fixed = self._seen_by(marbles, seat)
            counted = sum(marbles[counted] for counted in self._counted) & others
            start = seat << CODE_BITS
            sets = rears(own, partner, others, fixed)
            for kind, size in _PUSHING.items():
                step, edge = STEPS[kind // 7], EDGES[kind // 7]
                if found := sets[kind] & before(others, size * step):
                    sets[kind] ^= found
                    falling = counted & edge
                    falling |= others & before(falling, step)
                    base = start + _BASES[kind]
                    pushing += [
                        base + cell for cell in members(found & ~before(falling, size * step))
                    ]
            for base, cells in zip(_BASES, sets, strict=True):
                base += start
                while cells:
                    lowest = cells & -cells
                    quiet.append(base + lowest.bit_length() - 1)
                    cells ^= lowest
        return pushing, quiet

    def is_legal(self, board: SearchBoard, move: int) -> bool:
        """Return whether a move found in another position is legal in this one, too."""
        seat, code = move >> CODE_BITS, move & CODE_MASK
        if seat not in self.movers(board):
            return False
        return bool(rears(*self._seen_by(board.marbles, seat))[code >> 7] >> (code & 127) - 1 & 1)

    def is_quiet(self, board: SearchBoard, move: int) -> bool:
        """Return whether a legal move pushes nothing."""
        ahead = SHAPES[move & CODE_MASK].ahead
        return not (ahead and sum(board.marbles) >> ahead & 1)

    def play(self, board: SearchBoard, move: int) -> SearchBoard:
        seat, code = move >> CODE_BITS, move & CODE_MASK
        shape = SHAPES[code]
        marbles, scores, turn, key, _ = board
        after = list(marbles)
        key ^= TURN_KEYS[turn]
        if shape.line & ~marbles[seat]:
            key ^= self._shift_mixed(after, self._members[self.sides[seat]], shape)
        else:
            after[seat] ^= shape.flip
            key ^= self._flip_keys[seat][code]
        won = NO_SIDE
        if shape.ahead and sum(marbles) >> shape.ahead & 1:
            changed, fallen = _push(marbles, after, shape.ahead, shape.step)
            key ^= changed
            if fallen >= 0:
                won = self._last(after)
            if fallen in self._counted:
                side = self.sides[seat]
                score = scores[side] + 1
                scores = (*scores[:side], score, *scores[side + 1 :])
                key ^= SCORE_KEYS[side][score - 1] ^ SCORE_KEYS[side][score]
                if score >= EJECTIONS_TO_WIN:
                    won = side
        stands = tuple(after)
        turn = NOBODY if won != NO_SIDE else self._next(stands, seat, turn)
        return SearchBoard(stands, scores, turn, key ^ TURN_KEYS[turn], won)

    def is_own(self, turn: int) -> bool:
        """Return whether `turn` is one of the root's side; False after the end of the game."""
        return turn < OTHERS and self.sides[turn] == self.own

    def movers(self, board: SearchBoard) -> tuple[int, ...]:
        """Return the seats that may move. At `OTHERS` they are all enemies of the root's side."""
        return self._enemies if board.turn == OTHERS else (board.turn,)

    def _seen_by(self, marbles: tuple[int, ...], seat: int) -> tuple[int, int, int, int]:
        """Return four sets: a seat's marbles, its partner's, all others, and the fixed marble."""
        partner = self._partners[seat]
        own, friends = marbles[seat], 0 if partner is None else marbles[partner]
        return own, friends, sum(marbles) ^ own ^ friends, self._root.fixed

    def _next(self, marbles: tuple[int, ...], seat: int, turn: int) -> int:
        """Return the turn after a move of a seat. Seats that cannot move are skipped."""
        if not self._best_reply:
            return next((s for s in self._after[seat] if self._can_move(marbles, s)), NOBODY)
        hunted = self._root.turn
        can_reply = any(self._can_move(marbles, s) for s in self._enemies)
        if (turn == OTHERS or not can_reply) and self._can_move(marbles, hunted):
            return hunted
        return OTHERS if can_reply else NOBODY

    def _can_move(self, marbles: tuple[int, ...], seat: int) -> bool:
        return any_move(*self._seen_by(marbles, seat))

    def _last(self, marbles: list[int]) -> int:
        """Return the only side that still has a player and marbles, or `NO_SIDE`."""
        left = {self.sides[seat] for seat in self._alive if marbles[seat]}
        return left.pop() if len(left) == 1 else NO_SIDE

    def _shift_mixed(self, after: list[int], seats: tuple[int, ...], shape: Shape) -> int:
        """Move a line with marbles of several seats. Return the change of the hash key."""
        key = 0
        for seat in seats:
            moving = after[seat] & shape.line
            landing = shifted(moving, shape.step)
            after[seat] = after[seat] & ~moving | landing
            for cell in members(moving ^ landing):
                key ^= CELL_KEYS[seat][cell]
        return key


def _push(marbles: tuple[int, ...], after: list[int], cell: int, step: int) -> tuple[int, int]:
    """Push the row of marbles that begins on `cell` by one step. The sets in `after` are changed.

    Returns the change of the hash key, and the seat whose marble was ejected; -1 if none was.
    """
    seat = _seat_at(marbles, cell)
    after[seat] ^= 1 << cell
    key = CELL_KEYS[seat][cell]
    while True:
        cell += step
        if not BOARD >> cell & 1:
            return key, seat
        behind = _seat_at(marbles, cell)
        if behind == seat:
            continue
        after[seat] ^= 1 << cell
        key ^= CELL_KEYS[seat][cell]
        if behind < 0:
            return key, -1
        after[behind] ^= 1 << cell
        key ^= CELL_KEYS[behind][cell]
        seat = behind


def _seat_at(marbles: tuple[int, ...], cell: int) -> int:
    return next((seat for seat, cells in enumerate(marbles) if cells >> cell & 1), -1)
