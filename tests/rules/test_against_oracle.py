"""Random games beside a second, naive reading of the rules: the same moves, positions, ends."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from pbm import rules
from tests.rules import oracle

SETUPS = [(board, players) for board, numbers in rules.BOARDS.items() for players in numbers]
GAMES_EACH = 12
LONGEST_GAME = 60
ROW_SIZES = (5, 6, 7, 8, 9, 8, 7, 6, 5)


def near_the_end(dice: random.Random, position: rules.Position) -> rules.Position:
    """The same position with some ejections already scored, so that a game is short."""
    return replace(position, scores=tuple(dice.randrange(3, 6) for _ in position.seats))


def endgame(dice: random.Random, players: int) -> rules.Position:
    """A set-up of few marbles at random, in which seats may be wiped out or unable to move."""
    while True:
        signs = [str(dice.randrange(1, players + 1)) for _ in range(dice.randrange(players, 20))]
        signs = dice.sample(signs + ["."] * (61 - len(signs)), 61)
        rows = "/".join("".join(signs.pop() for _ in range(size)) for size in ROW_SIZES)
        try:
            return rules.parse_state(f"{rows} 1 {','.join('0' * players)} -")
        except rules.StateError:
            continue


def pick(dice: random.Random, position: rules.Position) -> rules.Played:
    """A random move, mostly an ejection where there is one, so that games come to an end."""
    played = [rules.play(position, move) for move in rules.legal_moves(position)]
    ejections = [one for one in played if one.ejected]
    return dice.choice(ejections if ejections and dice.random() < 0.9 else played)


def compare(dice: random.Random, position: rules.Position, leaving: float = 0.01) -> rules.Position:
    """Play a random game on both sides and compare them at each ply."""
    game = oracle.read_state(rules.format_state(position))
    for _ in range(LONGEST_GAME):
        assert sorted(map(str, rules.legal_moves(position))) == sorted(oracle.legal_moves(game))
        if position.turn is None:
            break
        if dice.random() < leaving:
            seat = dice.choice([seat for seat in position.seats if seat not in position.out])
            position, game = rules.leave(position, seat), oracle.leave(game, seat)
        else:
            played = pick(dice, position)
            game, ejected = oracle.play(game, str(played.move))
            assert list(played.ejected) == ejected
            position = played.position
        assert rules.format_state(position) == oracle.write_state(game)
    return position


@pytest.mark.parametrize(("board", "players"), SETUPS)
def test_random_games_agree(board: str, players: int) -> None:
    ends: Counter[str | None] = Counter()
    for number in range(GAMES_EACH):
        seed = f"{board} {players} {number}"
        print("seed:", seed)
        dice = random.Random(seed)
        end = compare(dice, near_the_end(dice, rules.start(board, players)))
        ends[end.outcome.by if end.outcome else None] += 1
    assert ends["ejections"] > 0


@pytest.mark.parametrize("players", range(2, 7))
def test_random_endgames_agree(players: int) -> None:
    ends: Counter[str | None] = Counter()
    for number in range(GAMES_EACH):
        seed = f"endgame {players} {number}"
        print("seed:", seed)
        dice = random.Random(seed)
        end = compare(dice, endgame(dice, players), leaving=0.15)
        ends[end.outcome.by if end.outcome else None] += 1
    assert ends["last"] > 0
