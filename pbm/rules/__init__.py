"""The game of Abalone, pure: positions that never change, moves, and how a game ends.

>>> from pbm import rules
>>> position = rules.start("standard", 2)
>>> played = rules.play(position, rules.parse_move("a1-c3,d4", position))
>>> rules.format_move(played.move), played.position.turn
('a1-c3,b2', 2)

Nothing here reads a clock, a file or a mail. Where the rules of play are written for people:
`docs/rules.md`; for programs in other languages there is `pbm-rules`: `docs/rules-protocol.md`.
Whole games as text: `pbm/rules/records/` and `docs/records.md`.
"""

from pbm.rules.abapro import format_abapro, parse_abapro
from pbm.rules.claims import QUIET_MOVES, TIMES_REPEATED, balance, is_quiet, is_repeated
from pbm.rules.diagram import diagram
from pbm.rules.drawing import GROUND, Ground, drawing
from pbm.rules.effects import effect
from pbm.rules.errors import (
    IllegalMoveError,
    NotationError,
    RecordError,
    RulesError,
    SetupError,
    StateError,
)
from pbm.rules.hints import as_people_write, example_move
from pbm.rules.homes import home
from pbm.rules.layouts import BOARDS, IN_TEAMS, find_board, start
from pbm.rules.moves import Move, legal_moves
from pbm.rules.notation import format_move, is_notation, mentions_cell, missing_place, parse_move
from pbm.rules.position import Outcome, Position, symbol
from pbm.rules.records import FORMS as RECORD_FORMS
from pbm.rules.records import (
    Ending,
    Leaving,
    Record,
    Replayed,
    format_record,
    merged_steps,
    parse_record,
)
from pbm.rules.records import Form as RecordForm
from pbm.rules.records.steps import EndingHow
from pbm.rules.records.steps import How as LeavingHow
from pbm.rules.records.variants import Notation as RecordNotation
from pbm.rules.state import format_state, parse_state
from pbm.rules.turns import Played, leave, play

NAME = "abalone"
"""The word that names the game in a command."""

VERSION = 1
"""The version of these rules: it changes when the same moves would lead elsewhere."""

__all__ = [
    "BOARDS",
    "GROUND",
    "IN_TEAMS",
    "NAME",
    "QUIET_MOVES",
    "RECORD_FORMS",
    "TIMES_REPEATED",
    "VERSION",
    "Ending",
    "EndingHow",
    "Ground",
    "IllegalMoveError",
    "Leaving",
    "LeavingHow",
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
    "as_people_write",
    "balance",
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
    "missing_place",
    "parse_abapro",
    "parse_move",
    "parse_record",
    "parse_state",
    "play",
    "start",
    "symbol",
]
