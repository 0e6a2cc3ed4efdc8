"""State lines; what is read is then held against the oracle."""

from tests.fuzz.targets import Target
from tests.rules import oracle
from tests.rules.promises import check_state_text
from tests.rules.random_positions import SETUPS, some_positions

_FLAGS = ("teams", "out=1", "out=2+3", "quiet=17", "won=1", "won=2+4", "draw", "-", ";", "+")
_PARTS = (" 1 0,0 -", " - 6,0 won=1", " 1 0,0,0,0 teams", "...", "....../", "/", "#", "123456")


def check(data: bytes) -> None:
    """Hold the parser of state lines to what it promises, and a position to the rules."""
    text = data.decode("utf-8", "surrogateescape")
    position = check_state_text(text)
    if position is None:
        return
    game = oracle.read_state(text)
    moves = position.legal_moves()
    assert sorted(map(str, moves)) == sorted(oracle.legal_moves(game))
    for move in moves[::9]:
        played, (after, ejected) = position.play(move), oracle.play(game, str(move))
        assert played.position.state() == oracle.write_state(after)
        assert list(played.ejected) == ejected


def _seeds() -> tuple[bytes, ...]:
    played = list(some_positions(len(SETUPS)))
    left = [position.leave(position.players) for position in played[::5]]
    return tuple(position.state().encode() for position in [*played, *left])


TARGET = Target(check, _seeds(), tuple(word.encode() for word in (*_FLAGS, *_PARTS)), longest=220)
