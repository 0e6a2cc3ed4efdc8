"""Random games, played on both sides: by `pbm.rules` and by the naive oracle."""

import random
from dataclasses import replace

from pbm.rules import abalone as rules
from tests.rules import oracle
from tests.rules.random_positions import Setup

LONGEST_GAME = 60
_ROW_SIZES = (5, 6, 7, 8, 9, 8, 7, 6, 5)


def near_the_end(dice: random.Random, setup: Setup) -> rules.AbalonePosition:
    """A start with some ejections already scored, so that the game is short."""
    position = setup.start()
    scores = tuple(dice.randrange(3, 6) for _ in position.seats)
    return replace(position, scores=scores[:2] * 2 if setup.teams else scores)


def endgame(dice: random.Random, players: int, teams: bool = False) -> rules.AbalonePosition:
    """A set-up of few marbles at random, in which seats may be wiped out or unable to move."""
    pillar = dice.random() < 0.3
    while True:
        signs = [str(dice.randrange(1, players + 1)) for _ in range(dice.randrange(players, 20))]
        signs = dice.sample(signs + ["."] * (61 - len(signs)), 61)
        if pillar:
            signs[30] = "#"
        rows = "/".join("".join(signs.pop() for _ in range(size)) for size in _ROW_SIZES)
        flags = "teams" if teams else "-"
        try:
            return rules.parse_state(f"{rows} 1 {','.join('0' * players)} {flags}")
        except rules.StateError:
            continue


def pick(dice: random.Random, position: rules.AbalonePosition) -> rules.AbalonePlayed:
    """A random move, mostly an ejection where there is one, so that games come to an end."""
    played = [position.play(move) for move in position.legal_moves()]
    ejections = [one for one in played if one.ejected]
    return dice.choice(ejections if ejections and dice.random() < 0.9 else played)


def compare(
    dice: random.Random, position: rules.AbalonePosition, leaving: float = 0.01
) -> rules.AbalonePosition:
    """Play a random game on both sides and compare them at each ply."""
    game = oracle.read_state(position.state())
    for _ in range(LONGEST_GAME):
        assert sorted(map(str, position.legal_moves())) == sorted(oracle.legal_moves(game))
        if position.turn is None:
            break
        if dice.random() < leaving:
            seat = dice.choice([seat for seat in position.seats if seat not in position.out])
            position, game = position.leave(seat), oracle.leave(game, seat)
        else:
            played = pick(dice, position)
            game, ejected = oracle.play(game, str(played.move))
            assert list(played.ejected) == ejected
            position = played.position
        assert position.state() == oracle.write_state(game)
    return position
