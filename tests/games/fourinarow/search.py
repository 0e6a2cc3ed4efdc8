"""A search of its own: iterative deepening over all columns, with a bound, as deep as it may."""

import random
from collections.abc import Sequence
from typing import Any

from pbm.rules.contract import WON, Budget, Line, SearchResult

NEVER = 10 * WON
MOST_NODES = 400  # it is slow, and a few plies are all that the tests need


class Spent(Exception):  # noqa: N818 - it is no error
    """The budget is used up."""


class Looking:
    """One search: the nodes that it may still look at, and the order of columns."""

    def __init__(self, budget: Budget, columns: Sequence[str]) -> None:
        self.most, self.columns, self.nodes = min(budget.nodes, MOST_NODES), columns, 0

    def score(
        self, position: Any, depth: int, least: int, most: int
    ) -> tuple[int, tuple[str, ...]]:
        """What a position is worth to whoever moves in it, and how it goes on."""
        if self.nodes >= self.most:
            raise Spent
        self.nodes += 1
        if position.outcome:
            won = len(position.outcome.winners)
            return (-WON - depth if won else 0), ()
        if depth == 0:
            return standing(position, position.turn), ()
        line: tuple[str, ...] = ()
        for column in self.columns:
            if position.is_free(column):
                after = position.play(position.parse(column, position.turn)).position
                value, rest = self.score(after, depth - 1, -most, -max(least, -NEVER))
                if -value > least:
                    least, line = -value, (column, *rest)
                if least >= most:
                    break
        return least, line

    def lines(self, position: Any, depth: int) -> list[Line]:
        """Every move, each scored exactly, the best first."""
        found = []
        for column in self.columns:
            if position.is_free(column):
                after = position.play(position.parse(column, position.turn)).position
                value, rest = self.score(after, depth - 1, -NEVER, NEVER)
                found.append(Line((column, *rest), -value))
        return sorted(found, key=lambda line: -line.score)


def search(position: Any, budget: Budget, best: int, seed: int) -> SearchResult:
    """The best columns; the middle ones first where nothing else tells them apart."""
    if position.outcome:
        return SearchResult((), 0, 0)
    dice = random.Random(seed)
    columns = sorted("abcdefg", key=lambda column: (abs(ord(column) - ord("d")), dice.random()))
    looking = Looking(budget, columns)
    lines, depth = Looking(Budget(len(columns)), columns).lines(position, 1), 1
    try:
        deepest = 42 if budget.depth is None else max(1, budget.depth)
        for deeper in range(1, deepest + 1):
            lines, depth = looking.lines(position, deeper), deeper
            if abs(lines[0].score) >= WON:
                break
    except Spent:
        pass
    return SearchResult(tuple(lines[:best]), depth, looking.nodes)


def standing(position: Any, seat: int) -> int:
    """Pieces near the middle, in hundredths of a game."""
    signs = ".xo"
    own = sum(nearness(row, signs[seat]) for row in position.rows)
    return own - sum(nearness(row, signs[3 - seat]) for row in position.rows)


def nearness(row: str, sign: str) -> int:
    return sum(3 - abs(at - 3) for at, found in enumerate(row) if found == sign)
