"""The compiled search beside the plain one, and both beside what must be found."""

import random
from ctypes import c_int32
from dataclasses import replace
from typing import Any

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import MOVE_CODED
from pbm.rules.abalone.engine import compiled, plain
from pbm.rules.abalone.engine.boards import CODE_MASK
from pbm.rules.abalone.engine.judging import Ways, Weights
from pbm.rules.abalone.engine.roots import Outlook, SearchLimits, root_of
from pbm.rules.abalone.engine.searching import search
from pbm.rules.contract import Budget
from tests.rules.engine.test_boards import with_leavers
from tests.rules.random_games import endgame
from tests.rules.random_positions import SETUPS, Setup, some_positions

WAYS = (
    Ways(),
    Ways(best_reply=0),
    Ways(best_reply=0, quiescence=0, reductions=0, patience=0, futility=0, margin=0, aspiration=0),
    Ways(aspiration=10, contempt=-50),
)
TWINS = pytest.mark.parametrize("twin", [plain.search, compiled.search], ids=["plain", "compiled"])


def both(
    positions: list[rules.AbalonePosition], weights: Weights, ways: Ways, limits: SearchLimits
) -> Outlook:
    """What both twins find, which is the same."""
    root = root_of(positions)
    found = plain.search(root, weights, ways, limits)
    assert compiled.search(root, weights, ways, limits) == found
    assert found.nodes >= limits.nodes or found.depth == limits.depth or found.lines
    return found


def compare(number: int, position: rules.AbalonePosition, nodes: int) -> None:
    dice = random.Random(number)
    position = with_leavers(dice, position)
    if position.turn is None:
        return
    weights = Weights(
        marble=dice.randrange(90),
        push=dice.choice((0, 9)),
        lead=dice.randrange(17),
        tempo=dice.randrange(200),
    )
    limits = SearchLimits(nodes, best=dice.choice((1, 1, 3)), seed=dice.choice((0, 2**40)))
    found = both([position], weights, WAYS[number % len(WAYS)], limits)
    for _, line in found.lines:
        goes_on(position, line)


def goes_on(position: rules.AbalonePosition, line: tuple[int, ...]) -> None:
    """Check that a line can be played where every seat moves in its turn."""
    move = MOVE_CODED[line[0] & CODE_MASK]
    assert line[0] >> 13 == (position.turn or 0) - 1
    after = position.play(move).position
    if len(line) > 1 and line[1] >> 13 == (after.turn or 0) - 1:
        goes_on(after, line[1:])


def test_every_line_can_be_played_whoever_is_to_move() -> None:
    longest = 0
    for position in some_positions(24):
        for line in search([position], Budget(300), best=3).lines:
            after = position
            for text in line.moves:
                after = after.play(rules.parse_move(text, after)).position
            longest = max(longest, len(line.moves) * (position.players > 2))
    assert longest > 1


def test_both_find_the_same_on_every_kind_of_board() -> None:
    for number, position in enumerate(some_positions(40)):
        compare(number, position, 150)


@pytest.mark.thorough
def test_both_find_the_same_in_thousands_of_searches() -> None:
    for number, position in enumerate(some_positions(1500)):
        compare(number, position, 1500)
    for number in range(500):
        dice = random.Random(number)
        players = dice.randrange(2, 7)
        compare(number, endgame(dice, players, teams=players == 4), 1000)


def test_both_find_the_same_with_few_marbles() -> None:
    for number in range(30):
        dice = random.Random(number)
        players = dice.randrange(2, 7)
        compare(number, endgame(dice, players, teams=players == 4), 80)


def test_both_end_at_the_same_node_whatever_it_is() -> None:
    start = rules.start("bowl")
    for nodes in (1, 52, 53, 500, 501, 502, 503):
        both([start], Weights(), Ways(), SearchLimits(nodes))


@TWINS
def test_a_stop_is_noticed_within_few_positions(twin: Any) -> None:
    first = twin(root_of([rules.start()]), Weights(), Ways(), SearchLimits(10**9, depth=1)).nodes
    limits = SearchLimits(10**9, stop=c_int32(1))
    found = twin(root_of([rules.start()]), Weights(), Ways(), limits)
    assert found.cut
    assert found.nodes < first + 256


def test_both_avoid_what_stood_before() -> None:
    """Marbles go to and fro; whoever is not behind does something else the second time."""
    position = rules.start("bowl")
    positions = [position]
    dice = random.Random(3)
    for _ in range(6):
        position = position.play_legal(dice.choice(position.legal_moves())).position
        positions.append(position)
    free = both(positions[-1:], Weights(), Ways(), SearchLimits(400))
    best = MOVE_CODED[free.lines[0][1][0] & CODE_MASK]
    seen = positions[-1].play_legal(best).position
    again = both([seen, *positions], Weights(), Ways(), SearchLimits(400, best=64))
    scores = {MOVE_CODED[line[0] & CODE_MASK]: score for score, line in again.lines}
    assert scores[best] == -Ways().contempt
    assert MOVE_CODED[again.lines[0][1][0] & CODE_MASK] != best


@TWINS
@pytest.mark.parametrize("setup", SETUPS[::21], ids=str)
def test_a_search_to_depth_is_what_looking_at_everything_finds(twin: Any, setup: Setup) -> None:
    """Without anything that only estimates, alpha-beta is minimax."""
    ways = Ways(best_reply=0, quiescence=0, reductions=0, patience=0, futility=0, margin=0)
    dice = random.Random(str(setup))
    position = setup.start()
    for _ in range(30):
        after = position.play_legal(dice.choice(position.legal_moves())).position
        position = after if after.turn else position
    found = twin(root_of([position]), Weights(), ways, SearchLimits(10**6, depth=2, best=64))
    own = position.turn or 0
    scores = {MOVE_CODED[line[0] & CODE_MASK]: score for score, line in found.lines}
    for move, score in scores.items():
        assert score == replied(position.play_legal(move).position, own)
    assert len(scores) == min(64, len(position.legal_moves()))


def replied(position: rules.AbalonePosition, own: int) -> int:
    """The value for a seat when one more ply is looked at."""
    return valued(
        [position.play_legal(move).position for move in position.legal_moves()], position, own
    )


def valued(children: list[rules.AbalonePosition], position: rules.AbalonePosition, own: int) -> int:
    root = root_of([position])
    side = root.sides[own - 1]
    judge = plain.Judge(replace(root, turn=own - 1), Weights())
    values = []
    for child in children:
        if child.outcome:
            won = own in child.outcome.winners
            sure = plain.WIN - 2 * plain.PLY
            values.append(sure if won else -sure if child.outcome.winners else 0)
        else:
            scores = tuple(child.scores[members[0] - 1] for members in child.groups)
            goes_on = root.sides[(child.turn or 0) - 1] == side
            tempo = Weights().tempo if goes_on else -Weights().tempo
            values.append(judge.value(child.marbles, scores) + tempo)
    return max(values) if root.sides[root.turn] == side else min(values)
