"""Records of games: a whole game as one value, and as text in several forms.

A `Record` names the board and holds every step: moves in canonical text, and seats that left.
Making one replays it, so a record is always a game that the rules allow; RecordError has the ply,
its number as people count it, the text, and the reason of the rules.

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

`parse_record` tells APGN and JSON apart. A bare list of moves does not say its board, so its caller
names form and board: `parse_record(text, "abapro", board="belgian")`. `docs/records.md` describes
the forms and what can be wrong with them.
"""

from pbm.rules.abalone.records.forms import FORMS, Form, format_record, parse_record
from pbm.rules.abalone.records.record import Record

__all__ = ["FORMS", "Form", "Record", "format_record", "parse_record"]
