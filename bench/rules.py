"""The rules beside the naive oracle of the tests."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from bench.measure import Row, beside, rates_of
from pbm.rules import abalone as rules
from pbm.rules.abalone import board
from pbm.rules.abalone.board import BOARD, shifted
from pbm.rules.abalone.engine import searching
from pbm.rules.abalone.position import perft
from tests.rules import oracle
from tests.rules.random_positions import two_player_positions

T = TypeVar("T")


def measure(seconds: float = 3.0, positions: int = 2000, depth: int = 3) -> list[Row]:
    """All legal moves of varied two-player midgame positions, moves played, and perft."""
    some = list(two_player_positions(positions))
    return [*_legal_moves(some, seconds), *_playing(some, seconds), *_counting(depth, seconds)]


def _legal_moves(positions: Sequence[rules.AbalonePosition], seconds: float) -> list[Row]:
    games = [oracle.read_state(position.state()) for position in positions]
    sets = [position.seen_by(position.turn) for position in positions if position.turn]
    assert len(sets) == len(positions)
    naive = f"naive oracle, all legal moves of {len(positions)}"
    works = {
        naive: _each(games, oracle.legal_moves),
        "board.codes, the integer core": _each(sets, lambda four: board.codes(*four)),
        "rules.legal_moves": _each(positions, rules.AbalonePosition.legal_moves),
    }
    rates = rates_of(works, at_least=seconds)
    return beside(naive, rates, unit="positions", called="the oracle")


def _playing(positions: Sequence[rules.AbalonePosition], seconds: float) -> list[Row]:
    """One move of each position: its middle one."""
    chosen = [(p, moves[len(moves) // 2]) for p in positions if (moves := p.legal_moves())]
    games = [(oracle.read_state(p.state()), str(move)) for p, move in chosen]
    naive = "naive oracle, a move played"
    works = {
        naive: _each(games, lambda pair: oracle.play(*pair)),
        "rules.play, which checks the move": _each(chosen, lambda pair: pair[0].play(pair[1])),
        "a move known to be legal played": _each(chosen, lambda pair: pair[0].play_legal(pair[1])),
    }
    return beside(naive, rates_of(works, at_least=seconds), unit="moves", called="the oracle")


def _counting(depth: int, seconds: float) -> list[Row]:
    """Leaves of the standard board for two, all moves to a depth."""
    start = rules.start()
    game = oracle.read_state(start.state())
    own, partner, others, fixed = start.seen_by(1)
    assert not partner
    assert not fixed
    naive = f"naive oracle, perft {depth}"
    works = {
        naive: lambda: _naive_perft(game, depth),
        "the same by the integer core alone": lambda: _core_perft(own, others, depth),
        "by rules.perft": lambda: perft(start, depth),
        "by the compiled core": lambda: searching.perft(start, depth),
        "by rules.legal_moves and rules.play": lambda: _public_perft(start, depth),
    }
    assert len({work() for work in works.values()}) == 1
    return beside(naive, rates_of(works, at_least=seconds), unit="leaves", called="the oracle")


def _naive_perft(game: oracle.Game, depth: int) -> int:
    moves = oracle.legal_moves(game)
    if depth == 1:
        return len(moves)
    return sum(_naive_perft(oracle.play(game, move)[0], depth - 1) for move in moves)


def _core_perft(own: int, others: int, depth: int) -> int:
    """Perft of two players on two sets of cells, as long as nobody can have won or be stuck."""
    if depth == 1:
        return len(board.codes(own, 0, others, 0))
    total = 0
    for code in board.codes(own, 0, others, 0):
        marbles, step = board.CODED[code]
        moving = board.moved(marbles, step, own | others)
        pushed = shifted(others & moving, step) & BOARD
        after = own & ~moving | shifted(own & moving, step)
        total += _core_perft(others & ~moving | pushed, after, depth - 1)
    return total


def _public_perft(position: rules.AbalonePosition, depth: int) -> int:
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(_public_perft(position.play(move).position, depth - 1) for move in moves)


def _each(things: Sequence[T], work: Callable[[T], object]) -> Callable[[], int]:
    """Work that does something with each of many things, and tells how many they were."""

    def all_of_them() -> int:
        for thing in things:
            work(thing)
        return len(things)

    return all_of_them
