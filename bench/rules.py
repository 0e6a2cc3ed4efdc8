"""The rules beside the naive oracle of the tests."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from bench.measure import Row, rate_of
from pbm import rules
from pbm.rules import search
from pbm.rules.perft import perft
from pbm.rules.turns import play_legal
from tests.rules import oracle
from tests.rules.random_positions import two_player_positions

_POSITIONS = 2000
_DEPTH = 3

T = TypeVar("T")


def measure() -> list[Row]:
    """All legal moves of varied two-player midgame positions, moves played, and perft."""
    positions = list(two_player_positions(_POSITIONS))
    games = [oracle.read_state(rules.format_state(position)) for position in positions]
    sets = [position.seen_by(position.turn) for position in positions if position.turn]
    assert len(sets) == _POSITIONS
    oracles = _rate(_each(games, oracle.legal_moves))
    rows = [
        Row(f"naive oracle, all legal moves of {_POSITIONS}", "positions", oracles, "itself", 1)
    ]
    for name, work in (
        ("search.codes, the integer core", _each(sets, lambda four: search.codes(*four))),
        ("rules.legal_moves", _each(positions, rules.legal_moves)),
    ):
        rate = _rate(work)
        rows.append(Row(name, "positions", rate, "the naive oracle", rate / oracles))
    return [*rows, *_playing(positions), *_counting()]


def _playing(positions: Sequence[rules.Position]) -> list[Row]:
    """One move of each position: its middle one."""
    chosen = [(p, moves[len(moves) // 2]) for p in positions if (moves := rules.legal_moves(p))]
    games = [(oracle.read_state(rules.format_state(p)), str(move)) for p, move in chosen]
    naive = _rate(_each(games, lambda pair: oracle.play(*pair)))
    checked = _rate(_each(chosen, lambda pair: rules.play(*pair)))
    legal = _rate(_each(chosen, lambda pair: play_legal(*pair)))
    return [
        Row("naive oracle, a move played", "moves", naive, "itself", 1),
        Row("rules.play, which checks the move", "moves", checked, "the oracle", checked / naive),
        Row("a move known to be legal played", "moves", legal, "the oracle", legal / naive),
    ]


def _counting() -> list[Row]:
    start = rules.start()
    naive_start = oracle.read_state(rules.format_state(start))
    naive = _rate(lambda: _naive_perft(naive_start, _DEPTH - 1))
    ours = _rate(lambda: perft(start, _DEPTH))
    return [
        Row("naive oracle, perft", "leaves", naive, "itself", 1),
        Row("perft, standard for two", "leaves", ours, "the oracle", ours / naive),
    ]


def _naive_perft(game: oracle.Game, depth: int) -> int:
    moves = oracle.legal_moves(game)
    if depth == 1:
        return len(moves)
    return sum(_naive_perft(oracle.play(game, move)[0], depth - 1) for move in moves)


def _rate(work: Callable[[], int]) -> float:
    return rate_of(work, clock=time.process_time)


def _each(things: Sequence[T], work: Callable[[T], object]) -> Callable[[], int]:
    """Work that does something with each of many things, and tells how many they were."""

    def all_of_them() -> int:
        for thing in things:
            work(thing)
        return len(things)

    return all_of_them
