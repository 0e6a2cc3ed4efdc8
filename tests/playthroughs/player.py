"""The player of the recorded games: seeded, and out for ejections so that the games end."""

from collections.abc import Iterator
from random import Random

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import CENTRE, STEPS, distance, members, shifted


def played_out(
    position: rules.AbalonePosition, dice: Random, longest: int
) -> Iterator[rules.AbalonePlayed]:
    """A game from a position to its end, or until it is as long as it may be."""
    # Equals would stand in each other's way for ever, so in every game one side plays better.
    best = dice.choice(position.groups)
    for _ in range(longest):
        if position.turn is None:
            return
        played = _pick(position, dice, sharp=position.turn in best)
        position = played.position
        yield played


def _pick(position: rules.AbalonePosition, dice: Random, sharp: bool) -> rules.AbalonePlayed:
    choices = [position.play(move) for move in position.legal_moves()]
    if not sharp:
        choices = dice.sample(choices, 1 + len(choices) // 4)
    return max(choices, key=lambda played: _appeal(position, played) + dice.random())


def _appeal(before: rules.AbalonePosition, played: rules.AbalonePlayed) -> float:
    """Ejections above all; then own marbles together in the centre, and the others' at the edge."""
    assert before.turn is not None
    ejections = sum(1 for seat in played.ejected if seat not in before.out)
    own, partner, others, _ = played.position.seen_by(before.turn)
    neighbours = sum((own & shifted(own, step)).bit_count() for step in STEPS)
    return 50 * ejections + 2 * _far(others) - 2 * _far(own | partner) + 0.4 * neighbours


def _far(marbles: int) -> float:
    """How far from the centre some marbles are altogether."""
    return sum(distance(cell, CENTRE) ** 2 / 4 for cell in members(marbles))
