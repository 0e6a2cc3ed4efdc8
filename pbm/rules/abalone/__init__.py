"""The game of Abalone, without side effects: immutable positions, moves, and how a game ends.

>>> from pbm.rules import abalone as rules
>>> position = rules.start("standard", 2)
>>> played = position.play(position.parse("a1-c3,d4"))
>>> str(played.move), played.position.turn
('a1-c3,b2', 2)

`docs/rules.md` has the rules of play, `docs/records.md` the text forms of whole games. Programs in
other languages can use `pbm-rules` (`docs/rules-protocol.md`).
"""

# ruff: noqa: F401 - this is the door for other programs and for tests
from pbm.rules.abalone.board import LineMove
from pbm.rules.abalone.drawing import GROUND, drawing
from pbm.rules.abalone.game import GAME
from pbm.rules.abalone.layouts import BOARDS, home_of, start
from pbm.rules.abalone.notation import (
    format_abapro,
    is_notation,
    mentions_cell,
    parse_abapro,
    parse_move,
)
from pbm.rules.abalone.placement import symbol
from pbm.rules.abalone.position import AbalonePlayed, AbalonePosition, parse_state
from pbm.rules.abalone.records import format_record, parse_record
from pbm.rules.abalone.refusals import example_moves
from pbm.rules.contract import (
    Ending,
    IllegalMoveError,
    Leaving,
    NotationError,
    RecordError,
    RulesError,
    SetupError,
    StateError,
)
