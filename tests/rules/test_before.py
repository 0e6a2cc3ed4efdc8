"""Moves taken back: one of the positions before a move is the one that it was played in."""

import random

from pbm.rules.abalone.game import GAME, before, sameness
from pbm.rules.contract import Moved
from tests.rules.random_games import near_the_end, pick
from tests.rules.random_positions import SETUPS


def test_the_position_before_is_among_them() -> None:
    dice, pushes = random.Random(44), 0
    for setup in SETUPS:
        position = near_the_end(dice, setup)
        while position.turn and position.quiet < 40:
            if dice.random() < 0.02:
                seat = dice.choice([it for it in position.seats if it not in position.out])
                position = position.leave(seat)
                continue
            played = pick(dice, position)
            moved = Moved(position.turn, str(played.move), played.effect)
            found = [*before(played.position, moved)]
            assert sameness(position) in map(sameness, found)
            assert len(found) <= 3
            pushes += len(found) > 1
            position = played.position
    assert pushes > 100
    assert GAME.before is before
