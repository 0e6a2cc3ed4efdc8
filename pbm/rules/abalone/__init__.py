"""The game of Abalone, pure: positions that never change, moves, and how a game ends.

>>> from pbm.rules import abalone as rules
>>> position = rules.start("standard", 2)
>>> played = rules.play(position, rules.parse_move("a1-c3,d4", position))
>>> rules.format_move(played.move), played.position.turn
('a1-c3,b2', 2)

Nothing here reads a clock, a file or a mail. Where the rules of play are written for people:
`docs/rules.md`; for programs in other languages there is `pbm-rules`: `docs/rules-protocol.md`.
Whole games as text: `pbm/rules/abalone/records/` and `docs/records.md`.
"""

from pbm.rules.abalone.abapro import format_abapro, parse_abapro
from pbm.rules.abalone.claims import QUIET_MOVES, TIMES_REPEATED, balance, is_quiet, is_repeated
from pbm.rules.abalone.diagram import diagram
from pbm.rules.abalone.drawing import GROUND, drawing, told_move
from pbm.rules.abalone.effects import effect
from pbm.rules.abalone.errors import (
    IllegalMoveError,
    NotationError,
    RecordError,
    RulesError,
    SetupError,
    StateError,
)
from pbm.rules.abalone.game import GAME, NAME, VERSION
from pbm.rules.abalone.hints import example_move
from pbm.rules.abalone.homes import home
from pbm.rules.abalone.layouts import BOARDS, IN_TEAMS, find_board, start
from pbm.rules.abalone.moves import Move, legal_moves
from pbm.rules.abalone.notation import (
    check_place,
    format_move,
    is_notation,
    mentions_cell,
    parse_move,
)
from pbm.rules.abalone.position import Outcome, Position, symbol
from pbm.rules.abalone.records import FORMS as RECORD_FORMS
from pbm.rules.abalone.records import (
    Ending,
    Leaving,
    Record,
    Replayed,
    format_record,
    merged_steps,
    parse_record,
)
from pbm.rules.abalone.records import Form as RecordForm
from pbm.rules.abalone.records.variants import Notation as RecordNotation
from pbm.rules.abalone.state import format_state, parse_state
from pbm.rules.abalone.turns import Played, leave, play

__all__ = [
    "BOARDS",
    "GAME",
    "GROUND",
    "IN_TEAMS",
    "NAME",
    "QUIET_MOVES",
    "RECORD_FORMS",
    "TIMES_REPEATED",
    "VERSION",
    "Ending",
    "IllegalMoveError",
    "Leaving",
    "Move",
    "NotationError",
    "Outcome",
    "Played",
    "Position",
    "Record",
    "RecordError",
    "RecordForm",
    "RecordNotation",
    "Replayed",
    "RulesError",
    "SetupError",
    "StateError",
    "balance",
    "check_place",
    "diagram",
    "drawing",
    "effect",
    "example_move",
    "find_board",
    "format_abapro",
    "format_move",
    "format_record",
    "format_state",
    "home",
    "is_notation",
    "is_quiet",
    "is_repeated",
    "leave",
    "legal_moves",
    "mentions_cell",
    "merged_steps",
    "parse_abapro",
    "parse_move",
    "parse_record",
    "parse_state",
    "play",
    "start",
    "symbol",
    "told_move",
]
