"""Robots think over whatever a game offers: a search."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbm.robots.thinking import NoMoveError, think
from pbm.rules.abalone import GAME
from pbm.rules.contract import Budget, Game
from pbm.rules.robots import ROBOTS, WEAKEST, Robot
from tests.rules.random_positions import two_player_positions

WEAK = [robot for robot in ROBOTS.values() if robot.seconds < 0.05]

SECOND = Path(__file__).parents[1] / "games"


@pytest.fixture
def second_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The game that is made for the tests."""
    monkeypatch.syspath_prepend(str(SECOND))
    import fourinarow

    yield fourinarow.GAME
    for name in [name for name in sys.modules if name.startswith("fourinarow")]:
        sys.modules.pop(name)


class Unsearched:
    """A game without a search."""

    info = GAME.info


def after(game: Any, *moves: str, seats: int = 2) -> list[Any]:
    """The positions of a game that began with these moves."""
    found = [game.start(seats, {})]
    for text in moves:
        position = found[-1]
        found.append(position.play(position.parse(text, position.to_move[0])).position)
    return found


def test_the_robots_are_ordered_by_strength() -> None:
    ratings = [robot.rating for robot in ROBOTS.values()]
    assert ratings == sorted(ratings)
    assert {"pebble": 950, "cobble": 1500, "boulder": 2050}.items() <= {
        robot.name: robot.rating for robot in ROBOTS.values()
    }.items()


@pytest.mark.parametrize("robot", WEAK)
def test_the_same_arguments_give_the_same_thought(robot: Any) -> None:
    positions = after(GAME, "a1-c3,b2")
    thoughts = [think(robot, GAME, positions, seed) for seed in (1, 2, 3, 4, 1)]
    assert thoughts[0] == thoughts[-1]
    position = positions[-1]
    for thought in thoughts:
        assert str(position.parse(thought.move, 2)) == thought.move
        assert thought.found.nodes > 0
        assert thought.move in {line.moves[0] for line in thought.found.lines}


def test_the_seed_chooses_among_what_a_robot_does_not_tell_apart() -> None:
    positions = after(GAME)
    assert len({think(ROBOTS[WEAKEST], GAME, positions, seed).move for seed in range(10)}) > 1


@pytest.mark.parametrize("robot", WEAK)
def test_a_robot_plays_no_move_that_it_sees_to_lose_a_marble(robot: Robot) -> None:
    refused = 0
    for seed, position in enumerate(two_player_positions(20)):
        found = GAME.search([position], robot.budget, best=1000)
        scores = {line.moves[0]: line.score for line in found.lines}
        best = found.lines[0].score
        assert best - scores[think(robot, GAME, [position], seed).move] < 100, position
        refused += min(scores.values()) <= best - 100
    assert refused > 2


def test_only_the_strongest_thinks_as_long_as_it_is_allowed_to() -> None:
    *others, strongest = ROBOTS.values()
    assert [robot.thinking(1) for robot in others] == others
    half = strongest.thinking(strongest.seconds / 2)
    assert half.budget.nodes == strongest.budget.nodes / 2
    assert strongest.thinking(0).budget.nodes == 1


def test_a_game_brings_its_own_search(second_game: Game) -> None:
    # Three in a row stand at the bottom: whoever moves wins, or has to hinder it.
    for robot in ROBOTS.values():
        assert think(robot, second_game, after(second_game, *"agbgcf"), 7).move == "d"
        if robot.budget.depth not in (0, 1):
            assert think(robot, second_game, after(second_game, *"agbgc"), 7).move == "d"


def test_easier_is_the_next_weaker_robot_and_at_last_any_move() -> None:
    positions = after(GAME, "a1-c3,b2")
    *weaker, strongest = WEAK
    for easier, robot in enumerate(reversed(weaker), 1):
        found = think(strongest, GAME, positions, 5, easier=easier)
        assert found == think(robot, GAME, positions, 5)
    last = think(strongest, GAME, positions, 5, easier=len(WEAK))
    assert (last.score, last.found.lines, last.found.nodes) == (None, (), 0)
    assert last.move == GAME.example_moves(positions[-1])[0]


def test_a_game_without_an_example_has_any_move_searched(second_game: Any) -> None:
    thought = think(ROBOTS[WEAKEST], second_game, after(second_game), 0, easier=9)
    assert (thought.move in "abcdefg", thought.score) == (True, None)


def test_no_move_is_thought_of_where_there_is_none(second_game: Any) -> None:
    with pytest.raises(NoMoveError):
        think(ROBOTS[WEAKEST], Unsearched(), after(GAME), 0)  # type: ignore[arg-type]
    for easier in (0, 9):
        with pytest.raises(NoMoveError):
            think(ROBOTS[WEAKEST], second_game, after(second_game, *"agbgcgd"), 0, easier=easier)


def test_a_budget_bounds_what_is_looked_at(second_game: Any) -> None:
    found = second_game.search(after(second_game), Budget(300), best=2)
    assert (found.nodes, len(found.lines)) == (300, 2)
