"""Random games beside a second, naive reading of the rules: the same moves, positions, ends."""

import random
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.layouts import takes_pillar
from tests.rules import oracle
from tests.rules.random_games import compare, endgame, near_the_end
from tests.rules.random_positions import SETUPS, Setup

GAMES_EACH = 4
FROZEN = "b79b4bd7fc8db6f78d0e7c8c996cc7304913399b98f8afadb9579a71ff83ac66"
ENDGAMES_EACH = 12
PARTS = 10


def test_the_oracle_is_frozen() -> None:
    """Where the two disagree it is the rules that are looked at; it changes with the game alone."""
    assert sha256(Path(oracle.__file__).read_bytes()).hexdigest() == FROZEN


def test_every_kind_of_game_is_among_the_set_ups() -> None:
    kinds = {(one.board, one.players, one.teams) for one in SETUPS if not one.pillar}
    plain = {(board, players, False) for board, some in rules.BOARDS.items() for players in some}
    teams = {(board, 4, True) for board, some in rules.BOARDS.items() if 4 in some}
    assert kinds == plain | teams
    with_pillar = {(one.board, one.players, one.teams) for one in SETUPS if one.pillar}
    assert with_pillar == {kind for kind in kinds if takes_pillar(*kind[:2])}
    assert {players for _, players, _ in with_pillar} == {2, 3, 4, 5, 6}
    assert len(SETUPS) * GAMES_EACH >= 300


@pytest.mark.parametrize(
    "numbers", [range(1), pytest.param(range(1, GAMES_EACH), marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize("setups", [SETUPS[part::PARTS] for part in range(PARTS)], ids=range(PARTS))
def test_random_games_agree(setups: Sequence[Setup], numbers: range) -> None:
    ends: Counter[str | None] = Counter()
    for setup in setups:
        for number in numbers:
            seed = f"{setup} {number}"
            print("seed:", seed)
            dice = random.Random(seed)
            end = compare(dice, near_the_end(dice, setup))
            ends[end.outcome.by if end.outcome else None] += 1
    assert ends["ejections"] > len(setups) * len(numbers) / GAMES_EACH


@pytest.mark.parametrize(
    ("players", "teams"), [*((players, False) for players in range(2, 7)), (4, True)]
)
def test_random_endgames_agree(players: int, teams: bool) -> None:
    ends: Counter[str | None] = Counter()
    for number in range(ENDGAMES_EACH):
        seed = f"endgame {players} {teams} {number}"
        print("seed:", seed)
        dice = random.Random(seed)
        end = compare(dice, endgame(dice, players, teams), leaving=0.15)
        ends[end.outcome.by if end.outcome else None] += 1
    assert ends["last"] > 0
