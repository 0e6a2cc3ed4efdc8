"""The number of move sequences from each start, depths 1 to 3."""

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.position import perft
from tests.rules.perft_table import DEPTH_4, STARTS, TEAM_STARTS
from tests.rules.setups import placed


@pytest.mark.parametrize(("board", "players"), STARTS)
def test_starts(board: str, players: int) -> None:
    position = rules.start(board, players)
    assert [perft(position, depth) for depth in (1, 2, 3)] == STARTS[board, players]


@pytest.mark.parametrize(("board", "counts"), TEAM_STARTS.items())
def test_starts_in_teams(board: str, counts: list[int]) -> None:
    position = rules.start(board, teams=True)
    assert [perft(position, depth) for depth in (1, 2, 3)] == counts


@pytest.mark.thorough
@pytest.mark.parametrize(("board", "count"), DEPTH_4.items())
def test_four_plies(board: str, count: int) -> None:
    assert perft(rules.start(board), 4) == count


def test_no_ply_is_one_sequence() -> None:
    assert perft(rules.start(), 0) == 1


def test_a_finished_game_goes_no_further() -> None:
    last_ejection = placed("h8 i9", "f6 g7", scores="0,5", turn=2)
    assert perft(last_ejection, 1) > 0
    over = last_ejection.leave(1)
    assert [perft(over, depth) for depth in (0, 1, 2)] == [1, 0, 0]
