"""The board looks alike from each of its sides, and from either face of a mirror."""

from dataclasses import replace
from itertools import permutations

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.board import CENTRE, LineMove, members, set_of
from pbm.rules.abalone.game import copies
from tests.rules.random_positions import SETUPS, some_positions

POSITIONS = list(some_positions(len(SETUPS)))
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


def turned_position(
    position: rules.AbalonePosition, sixths: int, mirrored: bool
) -> rules.AbalonePosition:
    marbles = tuple(turned_set(cells, sixths, mirrored) for cells in position.marbles)
    return replace(position, marbles=marbles)


def turned_move(move: LineMove, sixths: int, mirrored: bool) -> LineMove:
    marbles = turned_set(move.marbles, sixths, mirrored)
    return LineMove(marbles, turned_vector(move.step, sixths, mirrored))


def test_the_positions_are_of_every_kind() -> None:
    kinds = {(p.players, p.teams, p.pillar) for p in POSITIONS}
    alone = {(players, False, pillar) for players in range(2, 7) for pillar in (False, True)}
    assert kinds == alone | {(4, True, False), (4, True, True)}


@pytest.mark.parametrize(("sixths", "mirrored"), TURNS)
def test_a_turned_position_has_the_turned_moves(sixths: int, mirrored: bool) -> None:
    for position in POSITIONS:
        moves = position.legal_moves()
        turned = turned_position(position, sixths, mirrored)
        assert set(turned.legal_moves()) == {turned_move(move, sixths, mirrored) for move in moves}


@pytest.mark.parametrize(("sixths", "mirrored"), TURNS)
def test_a_turned_move_does_the_same(sixths: int, mirrored: bool) -> None:
    ejections = 0
    for position in POSITIONS:
        turned = turned_position(position, sixths, mirrored)
        for move in position.legal_moves()[::5]:
            played = position.play(move)
            other = turned.play(turned_move(move, sixths, mirrored))
            assert other.position == turned_position(played.position, sixths, mirrored)
            assert other.ejected == played.ejected
            ejections += len(played.ejected)
    assert ejections


def test_the_copies_of_a_position_are_all_of_these_with_the_seats_moved_on() -> None:
    for position in POSITIONS:
        found = set(copies(position))
        assert {turned_position(position, *turn) for turn in TURNS} <= found
        assert len(found) <= len(TURNS) * position.players
        assert {len(copy.legal_moves()) for copy in found} == {len(position.legal_moves())}
        assert set(copies(min(found, key=repr))) == found


def test_seats_with_other_numbers_have_the_same_moves() -> None:
    for position in POSITIONS:
        for order in orders_of_seats(position):
            renumbered = replace(
                position,
                marbles=tuple(map(position.marbles_of, order)),
                turn=order.index(position.turn) + 1,
            )
            assert renumbered.legal_moves() == position.legal_moves()


def orders_of_seats(position: rules.AbalonePosition) -> list[tuple[int, ...]]:
    """Ways to number the seats anew; in teams those that leave partners partners."""
    orders = list(permutations(position.seats))
    if position.teams:
        return [(a, b, c, d) for a, b, c, d in orders if position.partner(a) == c]
    return orders if position.players <= 4 else orders[:: len(orders) // 20]
