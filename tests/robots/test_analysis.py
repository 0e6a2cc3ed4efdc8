"""Games are judged move by move, whatever game it is, and in pieces that end."""

from collections.abc import Iterator
from typing import Any

import pytest

from pbm.robots import analysis
from pbm.robots.analysis import Judged, Piece, advise, judge, look_at, mistakes, next_piece
from pbm.robots.thinking import Course
from pbm.rules.abalone import GAME
from pbm.rules.contract import WON, Budget, Line, SearchResult
from tests.rows import each_row


class Heap:
    """Take one to three of a heap; who takes the last wins. A position is what is left."""

    info, start, load = GAME.info, GAME.start, GAME.load

    def __init__(self) -> None:
        self.budgets: list[Budget] = []

    def search(
        self, positions: list[Any], budget: Budget, *, best: int = 1, seed: int = 0
    ) -> SearchResult:
        """All moves: those that leave a multiple of four win."""
        self.budgets.append(budget)
        left = positions[-1].left
        lines = [
            Line((str(take),), WON if (left - take) % 4 == 0 else -WON - seed)
            for take in range(1, min(3, left) + 1)
        ]
        return SearchResult(tuple(sorted(lines, key=lambda line: -line.score))[:best], 2, 1)

    def evaluate(self, position: Any) -> tuple[int, ...]:
        return (0,) * len(position.sides)


class Left:
    """So many are left, and a seat is to move."""

    out: frozenset[int] = frozenset()

    def __init__(self, left: int, seat: int = 1, seats: int = 2) -> None:
        self.left, self.seat, self.seats = left, seat, seats
        self.sides, self.to_move = tuple(range(1, seats + 1)), (seat,) if left else ()
        self.outcome = None if left else "over"

    def parse(self, text: str, seat: int) -> str:
        assert seat == self.seat
        return text

    def play(self, move: str) -> "After":
        return After(Left(self.left - int(move), self.seat % self.seats + 1, self.seats))


class After:
    def __init__(self, position: Left) -> None:
        self.position = position


def reached(heap: int, *moves: str, seats: int = 2) -> Any:
    positions = [Left(heap, 1, seats)]
    for move in moves:
        positions.append(positions[-1].play(move).position)
    return positions


@pytest.mark.parametrize("seats", [2, 3])
def test_a_move_that_gives_a_won_game_away_is_found(seats: int) -> None:
    """With two sides the other one is asked; with more all moves are scored at once."""
    game: Any = Heap()
    moves = ("1", "2", "3")
    found = judge(game, reached(9, *moves, seats=seats), moves, Piece((1, 2, 3), 100))
    told = [(item.ply, item.move, item.line[0]) for item in found]
    assert told == [(1, "1", "1"), (2, "2", "1"), (3, "3", "2")]
    assert [item.lost for item in found] == [0, 0, analysis.MOST_LOST]
    assert [item.misses_win for item in found] == [False, False, True]
    assert [item.allows_loss for item in found] == [False, False, True]
    assert all(budget.nodes <= 400 for budget in game.budgets)


def test_after_the_last_ply_there_is_a_line_unless_the_game_is_over() -> None:
    game: Any = Heap()
    (last,) = judge(game, reached(6, "1"), ("1",), Piece((2,), 100))
    assert (last.move, last.lost, last.line) == (None, 0, ("1",))
    (over,) = judge(game, reached(1, "1"), ("1",), Piece((2,), 100))
    assert over.line == ()


def pieces(costs: dict[int, int], plies: int) -> Iterator[Piece]:
    short: list[int] = []
    long: list[Judged] = []
    while (piece := next_piece(plies, short, long)) is not None:
        yield piece
        if len(short) < plies:
            short += [costs.get(ply, 0) for ply in piece.plies]
        else:
            long += [Judged(ply, 1, "", costs.get(ply, 0), ()) for ply in piece.plies]


@each_row("plies", [1, 2, 9, 10, 11, 100, 300, 5_000])
def test_each_ply_is_looked_at_once_and_no_piece_is_long(plies: int) -> None:
    costs = {ply: 1_000 - ply for ply in range(1, plies + 1, 7)}
    done = list(pieces(costs, plies))
    looked = [ply for piece in done for ply in piece.plies]
    dear = [ply for ply in sorted(costs) if costs[ply] >= analysis.LEAST]
    again = dear[: analysis.LOOKED_AT_AGAIN]
    assert looked == [*range(1, plies + 1), *again, plies + 1]
    assert all(len(piece.plies) * piece.nodes <= analysis.PIECE for piece in done)
    spent = sum(len(piece.plies) * piece.nodes for piece in done)
    long_looks = (analysis.LOOKED_AT_AGAIN + 1) * analysis.LONG_LOOK
    assert spent <= analysis.SHORT_LOOKS + long_looks


def test_the_three_that_cost_most_are_told_in_the_order_of_the_game() -> None:
    costs = [(4, 30), (9, 500), (2, 19), (7, 40), (5, 30)]
    looks = [Judged(ply, 1, "", lost, ()) for ply, lost in costs]
    assert [item.ply for item in mistakes(looks)] == [4, 7, 9]
    assert mistakes(looks[2:3]) == []


def test_whoever_left_after_the_last_move_changes_nothing() -> None:
    start = GAME.start(2, {"layout": "standard"}, 0).state()
    one = look_at(Course("abalone", start, ("a1-c3,b2",)), Piece((1, 2), 100))
    other = look_at(Course("abalone", start, ("a1-c3,b2", 1)), Piece((1, 2), 100))
    assert one == other
    assert one[1].line


def test_advice_is_a_move_with_its_line_and_reasons() -> None:
    start = GAME.start(2, {"layout": "standard"}, 0)
    found = advise(Course("abalone", start.state(), ()), 1, 2)
    assert str(start.parse(found.move, 1)) == found.move
    assert found.line[0] == found.move
    assert len(found.reasons) <= 2
