"""What holds of any text whatever that is given to a parser.

The property tests and the fuzzer (`tests/fuzz`) both check this, each with texts of its own.
"""

import re
from collections.abc import Callable

from pbm.rules import abalone as rules
from tests.rules.sentences import told

Parse = Callable[[str, rules.AbalonePosition], rules.LineMove]

_LONGEST_SENTENCE = 400
_OFFER = re.compile(r"Perhaps (\S+) was meant\.")

# Another position, in which no move is legal: what is no move anywhere is none here.
_OVER = rules.start().leave(2)


def check_move_text(text: str, position: rules.AbalonePosition) -> str:
    """Check everything that reads moves; return the reason of `parse_move` to refuse, or ""."""
    rules.mentions_cell(text)
    reason, move = _check_reading(rules.parse_move, text, position)
    assert rules.is_notation(text) == (reason != "not-a-move")
    if move:
        canonical = str(move)
        assert rules.mentions_cell(canonical)
        assert rules.parse_move(canonical, position) == move
    return reason


def check_abapro_text(text: str, position: rules.AbalonePosition) -> str:
    """Check `parse_abapro`; return its reason to refuse, or ""."""
    reason, move = _check_reading(rules.parse_abapro, text, position)
    if move:
        assert rules.parse_abapro(rules.format_abapro(move, position), position) == move
    return reason


def check_state_text(text: str) -> rules.AbalonePosition | None:
    """Check `parse_state`, and that what it accepts can be gone on with; return the position."""
    try:
        position = rules.parse_state(text)
    except rules.StateError as error:
        _check_sentence(error, None)
        return None
    assert position.state() == text
    assert (position.turn is None) == (position.outcome is not None)
    assert len(position.drawn().split("\n")) == 11
    moves = position.legal_moves()
    assert bool(moves) == (position.turn is not None)
    for move in moves[::9]:
        after = position.play(move).position.state()
        assert rules.parse_state(after).state() == after
    return position


def _check_reading(
    parse: Parse, text: str, position: rules.AbalonePosition
) -> tuple[str, rules.LineMove | None]:
    """Check that a text is a legal move, or refused alike wherever it is no move at all."""
    error, move = _read(parse, text, position)
    over, _ = _read(parse, text, _OVER)
    assert over is not None
    if error is None:
        assert move in position.legal_moves()
        assert over.reason == "game-over"
        return "", move
    _check_sentence(error, position)
    no_move_anywhere = isinstance(error, rules.NotationError)
    assert over.reason == (error.reason if no_move_anywhere else "game-over")
    return error.reason, None


def _read(
    parse: Parse, text: str, position: rules.AbalonePosition
) -> tuple[rules.RulesError | None, rules.LineMove | None]:
    try:
        return None, parse(text, position)
    except (rules.NotationError, rules.IllegalMoveError) as error:
        return error, None


def _check_sentence(error: rules.RulesError, position: rules.AbalonePosition | None) -> None:
    """Check that a refusal is short, plain, and offers only what is legal."""
    sentence = told(error)
    # Only what is said of a state line ends otherwise: with the line as it should be.
    assert sentence.endswith(".") or isinstance(error, rules.StateError)
    assert len(sentence) <= _LONGEST_SENTENCE
    assert sentence.isascii()
    assert sentence.isprintable()
    offer = _OFFER.search(sentence)
    if offer and position:
        assert rules.parse_move(offer[1], position) in position.legal_moves()
