"""The board looks alike from each of its sides, and from either face of a mirror."""

from dataclasses import replace

import pytest

from pbm import rules
from pbm.rules.board import CENTRE, members, set_of
from pbm.rules.moves import Move
from tests.rules.random_positions import some_positions

POSITIONS = list(some_positions(40))
TURNS = [(quarter, mirrored) for quarter in range(6) for mirrored in (False, True)]


def turned_vector(vector: int, sixths: int, mirrored: bool) -> int:
    """The difference of two cells after a turn of the board, perhaps in a mirror."""
    row = round(vector / 10)
    column = vector - 10 * row
    if mirrored:
        row, column = column, row
    for _ in range(sixths):
        row, column = column, column - row
    return 10 * row + column


def turned_set(cells: int, sixths: int, mirrored: bool) -> int:
    vectors = [cell - CENTRE for cell in members(cells)]
    return set_of(tuple(CENTRE + turned_vector(v, sixths, mirrored) for v in vectors))


@pytest.mark.parametrize(("sixths", "mirrored"), TURNS)
def test_a_turned_position_has_the_turned_moves(sixths: int, mirrored: bool) -> None:
    for position in POSITIONS:
        turned = replace(
            position,
            marbles=tuple(turned_set(cells, sixths, mirrored) for cells in position.marbles),
        )
        assert set(rules.legal_moves(turned)) == {
            Move(
                turned_set(move.marbles, sixths, mirrored),
                turned_vector(move.step, sixths, mirrored),
            )
            for move in rules.legal_moves(position)
        }


def test_seats_with_other_numbers_have_the_same_moves() -> None:
    for position in POSITIONS:
        assert position.turn is not None
        renumbered = replace(
            position,
            # Partners stay partners: seats 1 and 3 become 4 and 2.
            marbles=position.marbles[::-1],
            turn=position.players + 1 - position.turn,
        )
        assert rules.legal_moves(renumbered) == rules.legal_moves(position)
