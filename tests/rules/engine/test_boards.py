"""The positions of the search beside those of the rules."""

import random
from dataclasses import replace

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import MOVE_CODED
from pbm.rules.abalone.engine.boards import CODE_MASK, NO_SIDE, NOBODY, SearchBoard, Table
from pbm.rules.abalone.engine.roots import Root, root_of
from tests.rules.random_games import endgame, near_the_end
from tests.rules.random_positions import SETUPS

LONGEST = 40


def with_leavers(dice: random.Random, position: rules.AbalonePosition) -> rules.AbalonePosition:
    """A position that some of the players may have left."""
    for seat in dice.sample(position.seats, position.players):
        if dice.random() < 0.15 and position.turn:
            position = position.leave(seat)
    return position


def compare(dice: random.Random, position: rules.AbalonePosition) -> None:
    """Play a random game on both sides and compare them at each ply."""
    if position.turn is None:
        return
    root = root_of([position])
    table = Table(root, best_reply=False)
    board = table.board(root.marbles, root.turn)
    for _ in range(LONGEST):
        ejections = table.ejections(board)
        pushing, quiet = table.other_moves(board)
        moves = {MOVE_CODED[move & CODE_MASK]: move for move in (*ejections, *pushing, *quiet)}
        assert len(moves) == len(ejections) + len(pushing) + len(quiet)
        legal = position.legal_moves()
        assert set(moves) == set(legal)
        assert all(table.is_legal(board, move) for move in moves.values())
        scored = {
            move for move in legal if position.play_legal(move).position.scores != position.scores
        }
        assert {moves[move] for move in scored} == set(ejections)
        assert all(table.is_quiet(board, move) for move in quiet)
        assert not any(table.is_quiet(board, move) for move in (*ejections, *pushing))
        move = dice.choice(list(scored) if scored and dice.random() < 0.7 else legal)
        position = position.play(move).position
        board = table.play(board, moves[move])
        same(root, board, position)
        if position.turn is None:
            break


def same(root: Root, board: SearchBoard, position: rules.AbalonePosition) -> None:
    assert board.marbles == position.marbles
    assert [board.scores[side] for side in root.sides] == list(position.scores)
    if position.turn is None:
        assert position.outcome
        winners = [seat for seat in position.seats if root.sides[seat - 1] == board.won]
        assert (board.turn, tuple(winners)) == (NOBODY, position.outcome.winners)
    else:
        assert (board.turn, board.won) == (position.turn - 1, NO_SIDE)
        fresh = root_of([position])
        again = Table(fresh, best_reply=False).board(fresh.marbles, fresh.turn)
        assert board.key == again.key


@pytest.mark.parametrize("number", range(3))
def test_a_game_on_every_setup_goes_on_as_the_rules_have_it(number: int) -> None:
    dice = random.Random(number)
    for setup in SETUPS[number::12]:
        start = setup.start() if number % 2 else near_the_end(dice, setup)
        compare(dice, with_leavers(dice, start))


@pytest.mark.parametrize("players", range(2, 7))
def test_few_marbles_may_be_wiped_out_or_stuck(players: int) -> None:
    dice = random.Random(players)
    for _ in range(4):
        compare(dice, with_leavers(dice, endgame(dice, players, teams=players == 4)))


def test_marbles_of_who_left_count_for_nobody() -> None:
    position = replace(rules.start("bowl", 3), out=frozenset({2}))
    assert root_of([position]).alive == (True, False, True)
