"""A search that looks one ply ahead."""

import random
from collections.abc import Sequence
from typing import Any

from pbm.rules.abalone.board import CENTRE, distance, members
from pbm.rules.abalone.moves import legal_moves
from pbm.rules.abalone.position import Position
from pbm.rules.abalone.turns import play_legal
from pbm.rules.contract import WON, Found, Line


def evaluate(position: Position) -> tuple[int, ...]:
    """Marbles pushed off, and nearness to the centre."""
    return tuple(
        100 * position.scores[seat - 1]
        - sum(distance(cell, CENTRE) for cell in members(position.marbles_of(seat)))
        for seat in position.seats
    )


def search(positions: Sequence[Position], best: int, seed: int) -> Found:
    """The best moves by what stands after them."""
    now = positions[-1]
    if now.turn is None:
        return Found((), 0, 0)
    lines = [
        Line((str(m),), _score(play_legal(now, m).position, now.turn)) for m in legal_moves(now)
    ]
    random.Random(seed).shuffle(lines)
    lines.sort(key=lambda line: -line.score)
    return Found(tuple(lines[:best]), 1, len(lines))


def _score(after: Position, seat: int) -> int:
    if after.outcome and seat in after.outcome.winners:
        return WON
    values: Any = evaluate(after)
    return int(values[seat - 1] - max(v for s, v in enumerate(values, 1) if s != seat))
