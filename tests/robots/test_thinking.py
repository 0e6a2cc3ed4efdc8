"""Robots think over whatever a game offers: a search, or a search and what is threatened."""

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbm.robots.thinking import BOULDER, COBBLE, PEBBLE, ROBOTS, NoMoveError, think
from pbm.rules.abalone import GAME
from pbm.rules.contract import Budget, Game

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
    found = [game.start(seats, {}, 0)]
    for text in moves:
        position = found[-1]
        found.append(position.play(position.parse(text, position.to_move[0])).position)
    return found


def test_the_robots_are_ordered_by_strength() -> None:
    assert list(ROBOTS) == ["pebble", "cobble", "boulder"]


@pytest.mark.parametrize("robot", [PEBBLE, COBBLE])
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
    assert len({think(PEBBLE, GAME, positions, seed).move for seed in range(10)}) > 1


def test_a_whim_is_from_the_worst_quarter_and_misses_no_win(second_game: Game) -> None:
    whimsical = replace(COBBLE, lines=1000, whims=1)
    thought = think(whimsical, GAME, after(GAME, "a1-c3,b2"), 4)
    scores = {line.moves[0]: line.score for line in thought.found.lines}
    ranked = sorted(scores.values())
    assert scores[thought.move] <= ranked[len(ranked) // 4] < ranked[-1] == thought.score
    assert think(whimsical, second_game, after(second_game, *"agbgcf"), 7).move == "d"


def test_a_game_brings_its_own_search(second_game: Game) -> None:
    for robot in ROBOTS.values():
        # Three in a row stand at the bottom: whoever moves wins, or has to hinder it.
        assert think(robot, second_game, after(second_game, *"agbgc"), 7).move == "d"
        if robot is not PEBBLE:
            assert think(robot, second_game, after(second_game, *"agbgcf"), 7).move == "d"


def test_a_careful_robot_leaves_nothing_to_be_taken(second_game: Any) -> None:
    dice = random.Random(3)
    careless = 0
    for seed in range(8):
        positions = after(second_game)
        while positions[-1].to_move and len(positions) < 12:
            position = positions[-1]
            free = [name for name in "abcdefg" if position.is_free(name)]
            positions.append(position.play(position.parse(dice.choice(free), 1)).position)
        position = positions[-1]
        if not position.to_move:
            continue
        seat = position.turn
        left = {
            name: second_game.threatened(position.play(position.parse(name, seat)).position, seat)
            for name in "abcdefg"
            if position.is_free(name)
        }
        assert left[think(PEBBLE, second_game, positions, seed).move] == min(left.values())
        careless += min(left.values()) < max(left.values())
    assert careless > 1


def test_easier_is_the_next_weaker_robot_and_at_last_any_move() -> None:
    positions = after(GAME, "a1-c3,b2")
    for easier, robot in ((1, COBBLE), (2, PEBBLE)):
        assert think(BOULDER, GAME, positions, 5, easier=easier) == think(robot, GAME, positions, 5)
    last = think(BOULDER, GAME, positions, 5, easier=3)
    assert (last.score, last.found.lines, last.found.nodes) == (None, (), 0)
    assert last.move == GAME.example_move(positions[-1])


def test_a_game_without_an_example_has_any_move_searched(second_game: Any) -> None:
    thought = think(PEBBLE, second_game, after(second_game), 0, easier=9)
    assert (thought.move in "abcdefg", thought.score) == (True, None)


def test_no_move_is_thought_of_where_there_is_none(second_game: Any) -> None:
    with pytest.raises(NoMoveError):
        think(PEBBLE, Unsearched(), after(GAME), 0)  # type: ignore[arg-type]
    for easier in (0, 9):
        with pytest.raises(NoMoveError):
            think(PEBBLE, second_game, after(second_game, *"agbgcgd"), 0, easier=easier)


def test_a_budget_bounds_what_is_looked_at(second_game: Any) -> None:
    found = second_game.search(after(second_game), Budget(300), best=2)
    assert (found.nodes, len(found.lines)) == (300, 2)
