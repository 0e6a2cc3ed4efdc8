"""Records of games: a whole game as one value, and as text in several forms.

A `Record` names the board and holds every step, moves in canonical text and seats that left. To
make one is to replay it, so a record is always a game that the rules allow; otherwise it raises
RecordError with the ply, its number as people count it, the text and the rules' own sentence.

>>> from pbm.rules import abalone as rules
>>> game = rules.Record("belgian", names=("alice", "bob"), steps=("i5-g5,h5", "a1-c3,b2"),
...               ended=rules.Ending("agreed"), tags=(("Event", "Autumn"),))
>>> print(rules.format_record(game, "apgn", notation="Aba-Pro"), end="")
[Event "Autumn"]
[Black "alice"]
[White "bob"]
[Variant "belgian"]
[Notation "Aba-Pro"]
[Result "1/2-1/2"]
[Termination "agreed"]
<BLANKLINE>
1. a1b2 i5h5 1/2-1/2
>>> rules.parse_record(rules.format_record(game)) == game
True

To **export** a board: make a Record of it (`merged_steps` puts plies and departures into one
order), then call `rules.format_record(record, form)` with one of `rules.RECORD_FORMS`.

To **import**: `rules.parse_record(text)` tells APGN and JSON apart. A bare list of moves does not
say its board, so its caller names form and board: `parse_record(text, "abapro", board="belgian")`.
Then `record.replay()` gives each step with its ply, seat and position, and `record.winners` and
`record.by` say how the game ended, as the store's `Board.winners` and `Board.ended_by` do.

`docs/records.md` describes the forms and what can be wrong with them.
"""

from pbm.rules.abalone.reasons import RECORD_REASONS
from pbm.rules.abalone.records.forms import FORMS, Form, format_record, parse_record
from pbm.rules.abalone.records.record import Record
from pbm.rules.abalone.records.replay import Replayed
from pbm.rules.abalone.records.steps import Ending, Leaving, Step
from pbm.rules.contract import RecordError
from pbm.rules.record import merged_steps

__all__ = [
    "FORMS",
    "RECORD_REASONS",
    "Ending",
    "Form",
    "Leaving",
    "Record",
    "RecordError",
    "Replayed",
    "Step",
    "format_record",
    "merged_steps",
    "parse_record",
]
