"""Games are judged move by move, whatever game it is, and in pieces that end."""

from collections.abc import Iterator
from typing import Any

import pytest

from pbm.robots import analysis
from pbm.robots.analysis import (
    DECIDED,
    Judged,
    Look,
    Piece,
    advise,
    costs,
    judge,
    leads,
    look_at,
    mistakes,
    next_piece,
    turned,
)
from pbm.robots.thinking import Course
from pbm.rules.abalone import GAME
from pbm.rules.contract import WON, Budget, Leaving, Line, SearchResult
from tests.rows import each_row

TWO = 2


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

    def state(self) -> str:
        return f"{self.left} {self.seat}"

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
    found = judge(game, reached(9, *moves, seats=seats), moves, Piece((1, 2, 3), 100, deep=True))
    told = [(item.ply, item.move, item.line[0]) for item in found]
    assert told == [(1, "1", "1"), (2, "2", "1"), (3, "3", "2")]
    assert [(item.best, item.made) for item in found] == [
        (DECIDED, DECIDED),
        (-DECIDED, -DECIDED),
        (DECIDED, -DECIDED),
    ]
    # The answer takes the last three.
    assert (found[-1].answer, found[-1].after) == ((("3",), "0 1") if seats == TWO else ((), "3 1"))
    assert all(budget.nodes <= 400 for budget in game.budgets)


def test_after_the_last_ply_there_is_a_line_unless_the_game_is_over() -> None:
    game: Any = Heap()
    (last,) = judge(game, reached(6, "1"), ("1",), Piece((2,), 100))
    assert (last.move, last.lost, last.line) == (None, 0, ("1",))
    (over,) = judge(game, reached(1, "1"), ("1",), Piece((2,), 100))
    assert over.line == ()


def test_a_short_search_of_two_sides_has_no_reply() -> None:
    """What a move costs shows in the search of the next ply."""
    game: Any = Heap()
    moves = ("1", "2", "3")
    found = judge(game, reached(9, *moves), moves, Piece((1, 2, 3, 4), 100))
    assert len(game.budgets) == 4
    looks = [(item.seat, item.best, item.made) for item in found]
    assert looks == [(1, 1_000, 1_000), (2, -1_000, -1_000), (1, 1_000, 1_000), (2, 1_000, 1_000)]
    assert [round(cost, 1) for cost in costs(looks, (1, 2))] == [0, 0, 1, 0]
    assert leads(looks, (), (1, 2)) == [1_000, 1_000, 1_000, -1_000]


def test_a_deep_search_corrects_the_leads_and_a_win_played_was_there_before() -> None:
    looks: list[Look] = [
        (1, 20, 20),
        (2, 10, 10),
        (1, -60, -60),
        (2, 900, 900),
        (1, -1_000, -1_000),
    ]
    assert leads(looks, (), (1, 2)) == [20, -10, -60, -1_000, -1_000]
    deep = [Judged(2, 2, "", 30, -40, ())]
    assert leads(looks, deep, (1, 2)) == [20, -30, 40, -1_000, -1_000]
    assert turned(leads(looks, deep, (1, 2))) == 3
    assert leads(looks, (), (1, 2, 3)) == []


def pieces(costs: dict[int, int], plies: int) -> Iterator[Piece]:
    short: list[int] = []
    long: list[Judged] = []
    while (piece := next_piece(plies, short, long)) is not None:
        yield piece
        if len(short) <= plies:
            short += [costs.get(ply, 0) for ply in piece.plies]
        else:
            long += [Judged(ply, 1, "", costs.get(ply, 0), 0, ()) for ply in piece.plies]


@each_row("plies", [1, 2, 9, 10, 11, 100, 300, 5_000])
def test_each_ply_is_looked_at_once_and_no_piece_is_long(plies: int) -> None:
    costs = {ply: 1_000 - ply for ply in range(1, plies + 1, 7)}
    done = list(pieces(costs, plies))
    looked = [ply for piece in done for ply in piece.plies]
    again = [ply for ply in sorted(costs) if costs[ply] > 0][: analysis.LOOKED_AT_AGAIN]
    assert looked == [*range(1, plies + 2), *again, plies + 1]
    assert all(len(piece.plies) * piece.nodes <= analysis.PIECE for piece in done)
    spent = sum(len(piece.plies) * piece.nodes for piece in done)
    long_looks = (analysis.LOOKED_AT_AGAIN + 1) * analysis.LONG_LOOK
    assert spent <= analysis.SHORT_LOOKS + long_looks


def test_mistakes_count_by_what_they_change() -> None:
    """Three marbles less matter little in a game that is lost anyway."""
    worths = [(4, 30, 0), (9, 500, 0), (2, 9, 0), (7, -600, -900), (5, 30, 0)]
    looks = [Judged(ply, 1, "", best, made, ()) for ply, best, made in worths]
    assert [item.ply for item in mistakes(looks)] == [9, 4, 5, 7]
    assert mistakes(looks[2:3]) == []


def test_whoever_left_after_the_last_move_changes_nothing() -> None:
    start = GAME.start(2, {"layout": "standard"}).state()
    one = look_at(Course("abalone", start, ("a1-c3,b2",)), Piece((1, 2), 100))
    other = look_at(Course("abalone", start, ("a1-c3,b2", Leaving(1))), Piece((1, 2), 100))
    assert one == other
    assert one[1].line


def test_advice_is_a_move_with_its_line_and_reasons() -> None:
    start = GAME.start(2, {"layout": "standard"})
    found = advise(Course("abalone", start.state(), ()), 1, 2)
    assert str(start.parse(found.move, 1)) == found.move
    assert found.line[0] == found.move
    assert len(found.reasons) <= 1


# Positions of four games that boulder has won, and the mistakes that were made in them.
MISTAKES = [
    (
        "11..1/111111/...111./.....11./....2..../..222.../..222../2.2222/22... 1 0,0 quiet=8",
        "b4,a3",
    ),
    (
        ".11../.11111/..11111/....211./...222.../..2222../..22.../.222.2/..... 1 0,0 quiet=18",
        "b5,a5",
    ),
    (
        "1121./1.1.11/.122211/...22121/...22.2.1/......../..22.../.22.../..... 1 0,1 quiet=4",
        "c2,d2",
    ),
    (
        "...2./111222/..11222/...11.../........./..221.../.22211./.22111/...1. 1 0,0 quiet=8",
        "h9-h7,h8",
    ),
    (
        "...2./111222/.1222../.1211.../...21..../..221.../.22.11./211.../...1. 1 0,0 quiet=16",
        "h6-h5,h5",
    ),
    (
        "...../....1./.1111../..1121../.1.1221../..2221../.2.222./2..222/..... 1 0,2 quiet=8",
        "e2,d2",
    ),
    (
        "....1/.11.1./..111../..111.../..1222.../.21222../.12122./.2222./..... 1 0,0 quiet=34",
        "a5,a4",
    ),
    (
        "..11./..121./.1122../..122.1./.111222../..121.2./..22.2./...2../..... 1 0,1 quiet=64",
        "b3,b2",
    ),
    (
        "...../.1..1./.11.22./.1.221../.1.221.../.12...../..222../1222../1.2.. 1 0,3 quiet=2",
        "h4,g4",
    ),
]


@pytest.mark.thorough
def test_mistakes_cost_no_less_than_ten_times_the_nodes_say() -> None:
    """Single costs differ in both directions, by what lies beyond the horizon; their sum is no
    less."""
    few, many, nodes = list[int](), list[int](), 100_000
    for state, move in MISTAKES:
        position = GAME.load(state)
        after = position.play(position.parse(move, 1)).position
        (found,) = judge(GAME, [position, after], [move], Piece((1,), nodes, deep=True))
        few.append(found.lost)
        best = GAME.search([position], Budget(10 * nodes))
        made = GAME.search([position, after], Budget(40 * nodes, depth=best.depth - 1))
        many.append(max(0, best.lines[0].score + made.lines[0].score))
    assert sum(few) >= sum(many)
    assert all(one >= other / 2 for one, other in zip(few, many, strict=True)), (few, many)
