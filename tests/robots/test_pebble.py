"""What the weakest robot never does, as the rules tell it: give a marble away in one move."""

from collections.abc import Iterator

from pbm.robots.thinking import PEBBLE, think
from pbm.rules import abalone as rules
from pbm.rules.abalone import GAME
from tests.rules.random_positions import SETUPS, some_positions, two_player_positions


def could_be_taken(position: rules.AbalonePosition, seat: int) -> int:
    """How many cells with a marble of a seat some other could empty, if it were its turn."""
    return len(set(_emptied(position, seat)))


def _emptied(position: rules.AbalonePosition, seat: int) -> Iterator[str | None]:
    for other in position.seats:
        if position.outcome is None and other != seat:
            turned = rules.parse_state(_with_turn(position, other))
            if turned.turn == other:
                for move in turned.legal_moves():
                    played = turned.play(move)
                    if seat in played.ejected:
                        yield played.effect.get("from")


def _with_turn(position: rules.AbalonePosition, seat: int) -> str:
    rows, _, *rest = position.state().split()
    return " ".join((rows, str(seat), *rest))


def test_after_its_move_nothing_can_be_taken_unless_nothing_helps() -> None:
    avoided = 0
    several = [setup for setup in SETUPS if setup.players > 2]
    for seed, position in enumerate((*two_player_positions(12), *some_positions(6, several))):
        seat = position.turn
        assert seat
        left = {
            str(move): could_be_taken(position.play(move).position, seat)
            for move in position.legal_moves()
        }
        thought = think(PEBBLE, GAME, [position], seed)
        assert left[thought.move] == min(left.values()), (position, thought)
        avoided += min(left.values()) < max(left.values())
    assert avoided > 6


def test_the_game_tells_what_can_be_taken() -> None:
    found = set()
    for position in some_positions(30):
        for seat in position.seats:
            count = GAME.threatened(position, seat)
            assert count == could_be_taken(position, seat)
            found.add(count)
    assert {0, 1, 2} <= found
