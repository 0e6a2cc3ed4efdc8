"""The number of move sequences from each start, depths 1 to 3, by the rules and the core."""

import random
from collections.abc import Callable

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.engine import compiled, searching
from pbm.rules.abalone.position import AbalonePosition, perft
from tests.rules.engine.test_boards import with_leavers
from tests.rules.perft_table import DEPTH_4, STARTS, TEAM_STARTS
from tests.rules.random_positions import some_positions
from tests.rules.setups import placed

Counter = Callable[[AbalonePosition, int], int]
BY_BOTH = pytest.mark.parametrize("count", [perft, searching.perft], ids=["rules", "core"])


@BY_BOTH
@pytest.mark.parametrize(("board", "players"), STARTS)
def test_starts(board: str, players: int, count: Counter) -> None:
    position = rules.start(board, players)
    assert [count(position, depth) for depth in (1, 2, 3)] == STARTS[board, players]


@BY_BOTH
@pytest.mark.parametrize(("board", "counts"), TEAM_STARTS.items())
def test_starts_in_teams(board: str, counts: list[int], count: Counter) -> None:
    position = rules.start(board, teams=True)
    assert [count(position, depth) for depth in (1, 2, 3)] == counts


@pytest.mark.thorough
@BY_BOTH
@pytest.mark.parametrize(("board", "number"), DEPTH_4.items())
def test_four_plies(board: str, number: int, count: Counter) -> None:
    assert count(rules.start(board), 4) == number


def test_the_core_counts_as_the_rules_on_every_kind_of_board() -> None:
    assert not compiled.why_not()
    for number, position in enumerate(some_positions(40)):
        position = with_leavers(random.Random(number), position)
        assert searching.perft(position, 2) == perft(position, 2)


def test_without_a_core_the_rules_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "why_not", lambda: "it is away")
    monkeypatch.setattr(compiled, "perft", None)
    assert searching.perft(rules.start("bowl"), 2) == STARTS["bowl", 2][1]


@BY_BOTH
def test_no_ply_is_one_sequence(count: Counter) -> None:
    assert count(rules.start(), 0) == 1


@BY_BOTH
def test_a_finished_game_goes_no_further(count: Counter) -> None:
    last_ejection = placed("h8 i9", "f6 g7", scores="0,5", turn=2)
    assert count(last_ejection, 1) > 0
    assert count(last_ejection, 2) == perft(last_ejection, 2)
    over = last_ejection.leave(1)
    assert [count(over, depth) for depth in (0, 1, 2)] == [1, 0, 0]
